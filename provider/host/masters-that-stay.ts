import { NfvError } from "../common/errors";
import type { HostSpec, MasterAddress } from "../common/model";
import type { CheckFailure } from "../contract/types";
import { hasUnknown } from "../contract/values";
import type { ServerInputs } from "../machine/machine";
import { howToRestoreState } from "../operation/restore-state";

/*
 * One rule: etcd with all data is on the control-plane nodes, so at least one of them must stay. The cluster's identity
 * compares names, before anything else. On existing machines names and addresses are compared, because another address
 * is another machine.
 */

type IsSame<Master> = (before: Master, after: Master) => boolean;

function oneStays<Master>(olds: readonly Master[], news: readonly Master[], isSame: IsSame<Master>): boolean {
    return olds.some(before => news.some(after => isSame(before, after)));
}

const sameName: IsSame<string> = (before, after) => before === after;
const sameMachine: IsSame<MasterAddress> = (before, after) =>
    before.name === after.name && before.address === after.address;

/** Compares the names of the current and the wanted control-plane nodes; an empty list is not compared. */
export function refuseOtherMasters(olds: readonly string[], news: readonly string[]): CheckFailure[] {
    if (olds.length === 0 || news.length === 0 || oneStays(olds, news, sameName)) return [];
    const reason =
        `the masters cannot all be replaced: this cluster has ${olds.join(", ")}, the program has ${news.join(", ")}; etcd with all data is ` +
        `on the masters that would leave. Nothing was touched. Keep one of them under its name, run pulumi up, and take it out after that.`;
    return [{ property: "", reason }];
}

interface Master extends ServerInputs {
    /** `masters`: of a control-plane node. */
    spec: Pick<HostSpec, "name" | "role" | "address" | "clusterId"> & Partial<Pick<HostSpec, "masters">>;
    /** Word of a restore of etcd onto new machines. */
    ontoNew?: string;
}

/** How far a machine was prepared. */
export interface Progress {
    /** One of its steps was done. */
    begun: boolean;
    /** All were, or the last run completed what it had to do. */
    ready: boolean;
}

/**
 * Called by the diff of a Host, so that the preview already refuses. The address of a Host that was never prepared may
 * be corrected. Cloud servers are not checked here: a replaced server has another address, and `leave` of node.ts
 * protects the last control-plane node.
 * @throws INVALID_INPUT
 */
export function refuseOtherMachines(olds: Master, news: Master, { begun, ready }: Progress): void {
    const { name, role, address, clusterId, masters = [] } = olds.spec;
    const { spec: wanted, server } = news;
    const { masters: others = [] } = wanted;
    if (begun && !hasUnknown(wanted.clusterId) && wanted.clusterId !== clusterId)
        throw otherCluster(name, clusterId, wanted.clusterId);
    if (role !== "controlPlane" || !ready || olds.server !== undefined || server !== undefined) return;
    if (hasUnknown([wanted.address, others])) return;
    if (wanted.address === address || oneStays(masters, others, sameMachine)) return;
    // Masters has found them lost. The same word once more is no other restore.
    if (news.ontoNew !== undefined && news.ontoNew !== olds.ontoNew) return;
    const places = (list: readonly MasterAddress[]) => list.map(one => `${one.name} at ${one.address}`).join(", ");
    const sole = masters.length === 1;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        cause: sole
            ? `infrastructure.hosts.controlPlane.${name}.address: ${name} is the only master of this cluster at ${address}, ` +
              `${wanted.address} is asked for: that would be another machine, and etcd with all data is on this one; nothing was touched`
            : `infrastructure.hosts.controlPlane: the masters cannot all be other machines: this cluster has ${places(masters)}, ` +
              `the program has ${places(others)}; etcd with all data is on those that would leave; nothing was touched`,
        hint:
            (sole
                ? `Set the address back to ${address}. To move the cluster: give it a controlPlane.endpoint if it has none, run pulumi up, add two masters, run pulumi up, then take ${name} out.`
                : `Set the addresses back. To move the cluster: change one master's address, run pulumi up, then the next one's.`) +
            " Has no cluster come up yet: pulumi destroy, then pulumi up. Are all lost for ever: docs/backup.md restores a snapshot of etcd onto new machines.",
    });
}

/** The same for what acts before any machine. */
export function refuseOtherCluster(before: unknown, after: unknown): CheckFailure[] {
    if (before === undefined || before === after || hasUnknown([before, after])) return [];
    const reason =
        `the state has resources of the cluster ${before}, and the program now has ${after}: the state has lost the cluster's identity; ` +
        `nothing was touched. ${bringBack(String(before))}`;
    return [{ property: "", reason }];
}

const bringBack = (cluster: string) =>
    `Bring back a state that has ${cluster}: ${howToRestoreState}. To give the cluster up, run pulumi destroy.`;

/** An identity that was replaced or lost must not take the cluster's machines with it. */
function otherCluster(node: string, before: string, after: string): NfvError {
    return new NfvError({
        code: "INVALID_INPUT",
        node,
        cause: `it belongs to the cluster ${before}, and the program now has ${after}: the state has lost the cluster's identity; nothing was touched`,
        hint: bringBack(before),
    });
}

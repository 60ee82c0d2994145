import { mayHoldEtcd } from "../kubeadm/membership";
import type { Connection, SshTarget } from "../ssh";
import type { NodeConnection } from "../steps";
import { atMost } from "./at-most";
import { retryUntilControlPlaneReady } from "./control-plane-ready";
import { howToGiveUp, isGivenUp } from "./give-up";
import type { KeptSpec } from "./host-state";
import { type FoundMachine, leaveBy, masterToLeaveBy } from "./leave-node";
import { type MachineState, named, type Peer, type ServerInputs } from "./machine";
import { isReadyMember, machineStatusOf, statusOfPeers } from "./machine-statuses";
import { hasLeft, isEnding, isStaying, programMasters } from "./program-masters";
import type { Context } from "./types";
import { bearIfGivenUp } from "./undo";

/*
 * A Node leaves the cluster before its Host is deleted. But a run that was killed while the machine joined has left no Node in
 * the state, and then resetting the machine would destroy a member of etcd.
 */

interface Deleted extends Pick<ServerInputs, "server">, Pick<MachineState, "done"> {
    spec: KeptSpec;
    connection: SshTarget;
}

interface Found {
    found: FoundMachine;
    own: Connection;
    /** The cloud no longer has its server, which therefore runs no etcd. */
    gone: boolean;
}

/** Longer than most pods need. If it is not enough, the run stops, and the machine stays a member. */
const drain = { timeoutSeconds: 300, policy: "fail" };

/** Where most likely the whole cluster goes, pods that cannot be evicted must not stop it. */
const shortDrain = { timeoutSeconds: 60, policy: "delete" };

/**
 * Whether a node need not leave, because its whole cluster goes. A destroy begins with the deletion of OperationEnd. If this run has not
 * deleted it, --target may have left the program's masters out; then a control-plane node looks for the others itself.
 */
export function wholeClusterGoes({ clusterId, role }: Pick<KeptSpec, "clusterId" | "role">, context: Context): boolean {
    return programMasters(context, clusterId) === undefined && (isEnding(context, clusterId) || role === "worker");
}

/**
 * @throws QUORUM_AT_RISK, NO_CONTROL_PLANE, DRAIN_FAILED: nothing was changed, or the machine is a member still
 */
export async function leaveWithHost(host: Deleted, { found, own, gone }: Found, context: Context): Promise<void> {
    const { clusterId, name, role } = host.spec;
    if (gone || hasLeft(context, clusterId, name) || wholeClusterGoes(host.spec, context)) return;
    if (!(await mayBeMember(host, found, own))) return;
    const leave = () => leaveNow(host, { found, own }, context);
    if (role !== "controlPlane") return leave();
    // Each must see etcd without the one before.
    return atMost(1, context, `masters of ${clusterId}`, leave, { signal: context.signal });
}

async function mayBeMember({ spec, done }: Deleted, found: FoundMachine, own: Connection): Promise<boolean> {
    const { clusterId, name, address, caCertHash } = spec;
    // Its member of etcd may still be there.
    if (found === "nothing") return isGivenUp(clusterId, name);
    // A Node begins after its Host.
    if (found === "unasked") return Object.keys(done).length > 0;
    const facts = await named(name, () => machineStatusOf(own, address));
    return facts.memberOf === clusterId || mayHoldEtcd({ clusterId, caCertHash, name, facts });
}

async function leaveNow(host: Deleted, { found, own }: Omit<Found, "gone">, context: Context): Promise<void> {
    const { caCertHash, clusterId, name, address, role } = host.spec;
    const spec = { clusterId, name, address, role };
    const leaveThrough = (master: NodeConnection | undefined, how: typeof drain) =>
        leaveBy({ spec: { ...spec, drain: how }, caCertHash, server: host.server, found, own, master }, context);
    const program = programMasters(context, clusterId);
    if (program === undefined) {
        const master = await otherMaster(host, context);
        // Without another master, the last one of a cluster that stays is refused.
        if (master !== undefined || isStaying(context, clusterId)) await leaveThrough(master, shortDrain);
        return;
    }
    const groups = [program.wanted, program.former];
    const orElse = howToGiveUp(clusterId, name);
    try {
        const master = await retryUntilControlPlaneReady(context, () => masterToLeaveBy(spec, groups, context, orElse));
        await leaveThrough(master, drain);
    } catch (error) {
        if (!isGivenUp(clusterId, name)) throw error;
        bearIfGivenUp({ clusterId, name, connection: own }, context)(error);
    }
}

/**
 * A ready master, if this one is left out of a cluster that stays. If some master is no member, a destroy was stopped
 * half way, or the cluster never stood.
 */
async function otherMaster({ spec, connection }: Deleted, context: Context): Promise<NodeConnection | undefined> {
    const { clusterId, name, masters = [] } = spec;
    // By the same login: most clusters have one for all machines.
    const { hostKey: _, ...login } = connection;
    const others = masters
        .filter(each => each.name !== name)
        .map(({ name, address }): Peer => ({ name, address, connection: { ...login, host: address } }));
    const peers = await statusOfPeers(context, others);
    if (!peers.every(({ facts }) => facts?.memberOf === clusterId)) return undefined;
    return peers.find(peer => isReadyMember(peer, clusterId));
}

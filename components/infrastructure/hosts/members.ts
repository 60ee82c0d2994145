import type { KubernetesClusterArgs, MachineArgs } from "../../args/args";
import { type Choice, chosen } from "../choose-nodes";
import type { Addresses, NodeName } from "../infrastructure";
import { byName, inOrder } from "../node-order";

/** An existing machine that becomes a node. */
export interface Member extends NodeName {
    machine: MachineArgs;
}

/** The existing machines in use, in order. Names and counts are plain, so this works before inputs are resolved. */
export function members(args: KubernetesClusterArgs): Member[] {
    const hosts = args.infrastructure.hosts;
    if (!hosts) return [];
    const masters = inUse(hosts.controlPlane, args.controlPlane).map(
        ([name, machine]): Member => ({ name, role: "controlPlane", machine }),
    );
    const workers = Object.entries(args.pools ?? {}).flatMap(([pool, group]) =>
        inUse(hosts.pools?.[pool] ?? {}, group).map(
            ([name, machine]): Member => ({ name, role: "worker", pool, machine }),
        ),
    );
    return inOrder([...masters, ...workers]);
}

/** The same, and where they are. */
export function placedMembers(args: KubernetesClusterArgs): { nodes: Member[]; addresses: Addresses } {
    const nodes = members(args);
    return {
        nodes,
        addresses: { nodes: Object.fromEntries(nodes.map(({ name, machine }) => [name, machine.address])) },
    };
}

function inUse<T>(machines: Record<string, T>, group: Choice = {}): [string, T][] {
    return chosen(byName(machines), group);
}

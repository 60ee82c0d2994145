import type * as pulumi from "@pulumi/pulumi";
import type { Node } from "../../provider/adapters/dynamic";
import type { Cluster } from "./cluster-parts";
import type { ClusterStorage } from "./cluster-storage";
import { makeHost, makeNode } from "./node-resources";

/** The workers of all pools. They join together, after the control plane; those that are healed take turns, and so do those of `kubernetes.upgrade.order`. */
export function makePools(cluster: Cluster, controlPlane: readonly Node[], storage?: ClusterStorage): Node[] {
    const made = new Map<string, Node>();
    const { upgradeOrder } = cluster;
    for (const machine of upgradeOrder.inOrder(cluster.nodes.filter(({ role }) => role === "worker"))) {
        const { name } = machine;
        const host = makeHost(cluster, machine, storage);
        const before = upgradeOrder.before(name).map(each => made.get(each)!);
        const after = [...controlPlane, ...before, ...turn(cluster, name, host, made)];
        made.set(name, makeNode(cluster, machine, host, after, storage));
    }
    giveTurns(cluster, controlPlane, made);
    return [...made.values()];
}

/** The servers of workers that get new ones wait for the Nodes before them. */
function giveTurns(
    { nodes, turns, plan, upgradeOrder }: Cluster,
    controlPlane: readonly Node[],
    workers: ReadonlyMap<string, Node>,
) {
    const named = new Map(nodes.map(node => [node.name, node]));
    const masters = nodes.filter(({ role }) => role === "controlPlane");
    const inOrder = [
        ...masters.map((node, i) => [node, controlPlane[i]!] as const),
        ...[...workers].map(([name, node]) => [named.get(name)!, node] as const),
    ];
    turns?.made(inOrder, plan.maxUnavailable, upgradeOrder.turnOf);
}

/** An edge, because the engine replaces all nodes at once. Only where a heal was asked for: workers of a new cluster join together. */
function turn(
    { healing }: Cluster,
    name: string,
    host: pulumi.Resource,
    made: ReadonlyMap<string, Node>,
): Promise<pulumi.Resource>[] {
    const before = made.get(healing.before(name) ?? "");
    return before ? [healing.wasAsked(name).then(was => (was ? before : host))] : [];
}

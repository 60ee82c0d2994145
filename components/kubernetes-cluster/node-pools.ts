import type { Node } from "../../provider/dynamic";
import type { Cluster } from "./cluster-parts";
import type { ClusterStorage } from "./cluster-storage";
import { makeHost, makeNode } from "./node-resources";

/** The workers of all pools. They join together, after the control plane. */
export function makePools(cluster: Cluster, controlPlane: readonly Node[], storage?: ClusterStorage): Node[] {
    return cluster.nodes
        .filter(({ role }) => role === "worker")
        .map(machine => makeNode(cluster, machine, makeHost(cluster, machine, storage), [...controlPlane], storage));
}

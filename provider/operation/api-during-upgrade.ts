import type { ClusterDescription, Operation } from "./operation";

/** Whether the text of an endpoint names that of the only control-plane node. */
export function isOfOneNode(endpoint: string): boolean {
    return endpoint.startsWith("of the only");
}

/** Whether clients can use the API while the control-plane nodes take turns, for a person; none without a change of version. Pure. */
export function apiDuringUpgrade(operations: readonly Operation[], after: ClusterDescription | undefined): string[] {
    const changes = operations.some(({ changed }) => changed.includes("kubernetes.version"));
    if (!changes || after === undefined) return [];
    const masters = Object.values(after.nodes).filter(({ role }) => role === "controlPlane").length;
    const isShared = after.endpoint !== undefined && !isOfOneNode(after.endpoint);
    if (masters >= 3 && isShared)
        return ["the API of the cluster is available throughout: one control-plane node after another"];
    const why =
        masters === 1
            ? "there is one control-plane node"
            : masters === 2
              ? "of two members of etcd none can be spared"
              : "its endpoint is one node";
    return [
        `the API of the cluster is interrupted for some minutes: ${why}. Running pods go on, but those that are drained wait`,
    ];
}

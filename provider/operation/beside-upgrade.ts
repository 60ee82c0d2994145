import type { ClusterDescription, Operation } from "./operation";

/** What cannot be done in one run with another version, one text each. Pure. */
export function problemsBesideUpgrade(
    operations: readonly Operation[],
    before: ClusterDescription | undefined,
    after: ClusterDescription | undefined,
): string[] {
    const changes = operations.find(({ changed }) => changed.includes("kubernetes.version"));
    if (changes === undefined || before === undefined || after === undefined) return [];
    const isMaster = (name: string) => [before, after].some(({ nodes }) => nodes[name]?.role === "controlPlane");
    const all = (names: "added" | "removed" | "replaced") =>
        operations.flatMap(operation => operation[names]).filter(isMaster);
    const moves = operations.some(({ kind }) => kind === "change_external_connectivity");
    const rows: [readonly string[], string][] = [
        [all("added"), "a control-plane node that joins would get the former version from the cluster's configuration"],
        [all("removed"), "the cluster must keep the control-plane nodes that it has while they take turns"],
        [all("replaced"), "a control-plane node must be healed before the others take turns"],
        [moves ? ["controlPlane.endpoint"] : [], "kubeadm knows one endpoint only"],
    ];
    const advice = "Do one of the two first, with a pulumi up of its own; nothing was touched";
    return rows
        .filter(([names]) => names.length > 0)
        .map(
            ([names, why]) => `kubernetes.version cannot change in one run with ${names.join(", ")}: ${why}. ${advice}`,
        );
}

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

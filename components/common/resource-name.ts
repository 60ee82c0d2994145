/**
 * Name of a node's resources, with the cluster's name once. Not the resource's own name is left out of the node's, but that of the cluster:
 * when the resource gets another name, the names that it inherits as aliases must be the former ones.
 */
export function resourceName({ name, clusterName }: { name: string; clusterName: string }, node: string): string {
    const own = node.startsWith(`${clusterName}-`) ? node.slice(clusterName.length + 1) : node;
    return `${name}-${own}`;
}

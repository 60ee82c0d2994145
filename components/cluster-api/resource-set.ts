import type { Named } from "./machine-template";
import type { WorkloadSpec } from "./workload-spec";

/** The ClusterResourceSet finds the Cluster by it. */
export const resourceSetLabel = "pulumi-nfv.dev/workload-cluster";

/**
 * What the cluster's own API gets: ConfigMaps, which Cluster API applies as soon as the API answers, and again when they change. A cluster
 * without a pod network would never be ready.
 */
export function resourceSet({
    name,
    namespace,
    manifests,
}: Pick<WorkloadSpec, "name" | "namespace" | "manifests">): Named[] {
    const names = Object.keys(manifests);
    if (names.length === 0) return [];
    const nameOf = (part: string) => `${name}-${part}`;
    return [
        ...names.map(part => ({
            apiVersion: "v1",
            kind: "ConfigMap",
            // clusterctl takes it along when it moves the cluster.
            metadata: { name: nameOf(part), namespace, labels: { "clusterctl.cluster.x-k8s.io/move": "" } },
            data: { "objects.yaml": manifests[part]! },
        })),
        {
            apiVersion: "addons.cluster.x-k8s.io/v1beta2",
            kind: "ClusterResourceSet",
            metadata: { name: nameOf("resources"), namespace },
            spec: {
                strategy: "Reconcile",
                clusterSelector: { matchLabels: { [resourceSetLabel]: name } },
                resources: names.map(part => ({ kind: "ConfigMap", name: nameOf(part) })),
            },
        },
    ];
}

import type { OwnObjects } from "./own-objects";
import { resourceSet, resourceSetLabel } from "./resource-set";

/** The user's own objects, with add-ons for the cluster's own API. Their ClusterResourceSet finds the Cluster by a label of ours. */
export function withAddOns({ cluster, objects }: OwnObjects, manifests: Record<string, string>): OwnObjects {
    const { name, namespace, ...metadata } = cluster.metadata;
    const added = resourceSet({ name, namespace, manifests });
    if (added.length === 0) return { cluster, objects };
    const labels = { ...(metadata["labels"] as object | undefined), [resourceSetLabel]: name };
    const labelled = { ...cluster, metadata: { ...cluster.metadata, labels } };
    return { cluster: labelled, objects: [...added, ...objects.map(each => (each === cluster ? labelled : each))] };
}

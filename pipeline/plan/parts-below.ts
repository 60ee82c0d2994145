import { checkReleases } from "../../provider/cluster-api/releases";
import type { ProviderName } from "../../provider/cluster-api/types";
import { NfvError } from "../../provider/common/errors";
import type { StateResource } from "../../tools/check/stack-state";

/**
 * Parts of the state that do not run on one of these versions of Kubernetes. A preview knows the first version of a chain alone, and no preview knows what the API
 * server will say of itself. `clusters`: ids of the clusters that move. Pure.
 */
export function partsBelow(
    resources: readonly StateResource[],
    clusters: readonly string[],
    versions: readonly string[],
): string[] {
    return resources.flatMap(({ type, outputs }) => {
        const { clusterId, providers } = outputs as { clusterId?: string; providers?: ProviderName[] };
        if (type !== "ClusterApiProviders" || clusterId === undefined || providers === undefined) return [];
        return clusters.includes(clusterId) ? (whyNot(providers, versions) ?? []) : [];
    });
}

/** Of the first version that does not fit. */
function whyNot(providers: readonly ProviderName[], versions: readonly string[]): string | undefined {
    for (const management of versions)
        try {
            checkReleases(providers, { management });
        } catch (error) {
            if (error instanceof NfvError) return error.reason;
            throw error;
        }
    return undefined;
}

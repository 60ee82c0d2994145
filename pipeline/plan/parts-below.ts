import { cloudParts } from "../../provider/cloud-provider/cloud-parts";
import type { CloudProviderSpec } from "../../provider/cloud-provider/cloud-provider";
import { cloudVersionFor } from "../../provider/cloud-provider/images";
import { checkReleases } from "../../provider/cluster-api/releases";
import type { ProviderName } from "../../provider/cluster-api/types";
import { NfvError } from "../../provider/common/errors";
import type { StateResource } from "../../tools/check/stack-state";
import { opened, type Standing } from "./chain";

/**
 * Parts of the state that do not run on one of these versions of Kubernetes. A preview knows the first version of a chain alone, and no preview knows what the API
 * server will say of itself. `clusters`: those that move. Pure.
 */
export function partsBelow(
    resources: readonly StateResource[],
    clusters: readonly Standing[],
    versions: readonly string[],
): string[] {
    return resources.flatMap(({ type, outputs }) => {
        const { clusterId, providers } = outputs as { clusterId?: string; providers?: ProviderName[] };
        if (type !== "ClusterApiProviders" || clusterId === undefined || providers === undefined) return [];
        return clusters.some(each => each.clusterId === clusterId) ? (whyNot(providers, versions) ?? []) : [];
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

/**
 * Parts of OpenStack's cloud provider for which this package knows no version on one of a chain behind the first. Only parts that have the version
 * which this package takes for the cluster now: the state does not tell whether the program names it. Pure.
 */
export function cloudPartsBelow(
    resources: readonly StateResource[],
    clusters: readonly Standing[],
    [, ...others]: readonly string[],
): string[] {
    const unknown = others.find(version => cloudVersionFor(version) === undefined);
    if (unknown === undefined) return [];
    return resources.flatMap(({ type, outputs }) => {
        if (type !== "CloudProvider") return [];
        const spec = opened<CloudProviderSpec>(outputs["spec"]);
        const wanted = clusters.find(({ clusterId }) => clusterId === spec.clusterId)?.wanted;
        if (wanted === undefined) return [];
        return cloudParts
            .filter(part => spec[part]?.enabled && spec[part].version === cloudVersionFor(wanted))
            .map(part => `cloudProvider.${part}.version is required: none is known for Kubernetes ${unknown}`);
    });
}

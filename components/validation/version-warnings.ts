import { cloudProviderFor, ipvsWarning } from "../../provider/kubernetes/releases";
import { supportWarning } from "../../provider/kubernetes/support";
import type { KubernetesClusterArgs } from "../args/args";

type Given = Pick<KubernetesClusterArgs, "kubernetes" | "kubeProxy" | "cloudProvider">;

/** What the version of a cluster brings soon, and what is older than it; preview says it. Pure. */
export function versionWarnings({ kubernetes: { version }, kubeProxy, cloudProvider }: Given, today: Date): string[] {
    return [
        supportWarning(version, today),
        kubeProxy?.["mode"] === "ipvs" ? ipvsWarning(version) : undefined,
        ...(["cloudControllerManager", "cinderCsi"] as const).map(part => behind(part, version, cloudProvider?.[part])),
    ].filter(warning => warning !== undefined);
}

/** Only of a part for which the program names no version. */
function behind(
    part: string,
    kubernetes: string,
    given: { enabled?: boolean; version?: string } | undefined,
): string | undefined {
    const newest = cloudProviderFor(kubernetes);
    if (given === undefined || given.enabled === false || given.version !== undefined) return undefined;
    if (newest === undefined || newest.behind === 0) return undefined;
    return `cloudProvider.${part}: the newest version that this package knows is ${newest.version}, for Kubernetes ${newest.minor}: ${kubernetes} gets it. Another one: version`;
}

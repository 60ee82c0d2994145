import { NfvError } from "../errors";
import { changed } from "./values";
import type { VimInputs } from "./vim";

/**
 * Which cluster a Vim leads to. Pulumi's name of it (`clusterId`) is kept from the first `up`: whatever is on a cluster is replaced
 * when that name changes, and a replacement on the same cluster would delete what it has just taken up. So another endpoint is no other
 * cluster, and another `clusterIdentifier` only where kube-system has another uid.
 */
type Named = Partial<VimInputs>;

/** The program gives the cluster another name than the state has. */
export function isRenamed(olds: Named, { clusterIdentifier: said }: Named): boolean {
    return (
        olds.clusterId !== undefined && said !== undefined && ![olds.clusterIdentifier, olds.clusterId].includes(said)
    );
}

/** The program gives another address, and nothing says which cluster is there. */
export function isMoved(olds: Named, news: Named): boolean {
    return olds.endpoint !== undefined && olds.endpoint !== news.endpoint && news.clusterIdentifier === undefined;
}

/** The inputs with what is known of the cluster without asking it. */
export function nameCluster({ clusterUid, ...olds }: Named, news: VimInputs): VimInputs {
    const clusterId = isRenamed(olds, news)
        ? news.clusterIdentifier!
        : (olds.clusterId ?? news.clusterId ?? news.endpoint);
    return { ...news, clusterId, ...(clusterUid !== undefined && { clusterUid }) };
}

/**
 * Whether the name in the state stays though the program gives another. A URL is taken at its word: it is the first name of a cluster,
 * by which what is on it is found again after a person has replaced the Vim (`--replace`: then check does not learn what the state has).
 */
export function isStillNamed(olds: Named, { clusterIdentifier: said }: Named, seen: string | undefined): boolean {
    return seen !== undefined && seen === olds.clusterUid && !(said?.startsWith("https://") ?? false);
}

/** Whether the uid in the state may be missing or out of date. */
export function isUidStale(olds: Named, news: VimInputs): boolean {
    const telling = ["endpoint", "clusterIdentifier", "caCertificate", "sslCaCert", "auth"];
    return olds.clusterUid === undefined || changed(olds, news, telling).length > 0;
}

/** `seen`: the uid of the cluster at the new endpoint. */
export function refusedMove(
    olds: Named,
    { name, endpoint }: VimInputs,
    seen: string | undefined,
): NfvError | undefined {
    if (olds.clusterUid === undefined || olds.clusterUid === seen) return undefined;
    const [cause, hint] =
        seen === undefined
            ? [
                  `whether ${endpoint} is the same cluster as ${olds.endpoint} cannot be told: these credentials may not read namespace kube-system`,
                  `Give credentials that may, or, if it is the same cluster, say so: clusterIdentifier: "${olds.clusterId}".`,
              ]
            : [
                  `${endpoint} is another cluster than ${olds.endpoint}: kube-system has the uid ${seen}, it had ${olds.clusterUid}`,
                  "Set the endpoint back. Or, to move everything to the other cluster, give the Vim another name, or another clusterIdentifier.",
              ];
    return new NfvError({ code: "INVALID_INPUT", node: name, cause, hint });
}

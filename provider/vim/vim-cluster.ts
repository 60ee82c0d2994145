import { NfvError } from "../common/errors";
import { changed } from "../contract/values";
import type { VimInputs } from "./vim-inputs";

/**
 * Which cluster a Vim leads to. Pulumi's name for it (`clusterId`) is kept from the first `up` on: if it changes,
 * everything on the cluster is replaced, and on the same cluster that would delete the objects that were just taken
 * over. So another endpoint is not another cluster, and another `clusterIdentifier` is one only if kube-system has
 * another uid.
 */
type Named = Partial<VimInputs>;

/** The program gives the cluster another name than the state has. */
export function isRenamed(olds: Named, { clusterIdentifier: said }: Named): boolean {
    return (
        olds.clusterId !== undefined && said !== undefined && ![olds.clusterIdentifier, olds.clusterId].includes(said)
    );
}

/** The program gives another endpoint, and nothing says which cluster is there. */
export function isMoved(olds: Named, news: Named): boolean {
    return olds.endpoint !== undefined && olds.endpoint !== news.endpoint && news.clusterIdentifier === undefined;
}

/** The program gives another endpoint, and says that it is the same cluster. */
function isSaidToBeMoved(olds: Named, news: Named): boolean {
    return olds.endpoint !== undefined && olds.endpoint !== news.endpoint && !isMoved(olds, news);
}

/** The inputs with the cluster's name, as far as it is known without asking the cluster. */
export function nameCluster({ clusterUid, ...olds }: Named, news: VimInputs): VimInputs {
    const clusterId = isRenamed(olds, news)
        ? news.clusterIdentifier!
        : (olds.clusterId ?? news.clusterId ?? news.endpoint);
    return { ...news, clusterId, ...(clusterUid !== undefined && { clusterUid }) };
}

/**
 * Whether the name in the state stays although the program gives another. A URL is always accepted: it is the first
 * name of a cluster, and after `pulumi up --replace` of the Vim, for which check does not see the state, objects on the
 * cluster are found by it.
 */
export function isStillNamed(
    { clusterIdentifier: said }: Named,
    former: string | undefined,
    seen: string | undefined,
): boolean {
    return compareUids(former, seen) === "same" && !isFirstName(said);
}

/** Whether a new name has to wait until the cluster answers. */
export function isHeldBack(olds: Named, news: Named): boolean {
    return isRenamed(olds, news) && !isFirstName(news.clusterIdentifier);
}

function isFirstName(said: string | undefined): boolean {
    return said?.startsWith("https://") ?? false;
}

/** Whether the uid in the state may be missing or outdated. */
export function isUidStale(olds: Named, news: VimInputs): boolean {
    const telling = ["endpoint", "clusterIdentifier", "caCertificate", "sslCaCert", "auth"];
    return olds.clusterUid === undefined || changed(olds, news, telling).length > 0;
}

/** Whether two uids belong to one cluster. "unknown": one of them is not known. */
export function compareUids(former: string | undefined, seen: string | undefined): "same" | "other" | "unknown" {
    if (former === undefined || seen === undefined) return "unknown";
    return former === seen ? "same" : "other";
}

/** Whether the answer which cluster it is may lead to a refusal. */
export function isAsked(olds: Named, news: VimInputs): boolean {
    return mustBeAsked(olds, news) || isSaidToBeMoved(olds, news);
}

/** Whether the answer which cluster it is decides about a replacement. */
export function mustBeAsked(olds: Named, news: VimInputs): boolean {
    return isMoved(olds, news) || isRenamed(olds, news);
}

/** Why a Vim may not use these inputs. `former`, `seen`: uids of the former cluster and of the current one. */
export function refusedCluster(
    olds: Named,
    news: VimInputs,
    former: string | undefined,
    seen: string | undefined,
): NfvError | undefined {
    const answer = compareUids(former, seen);
    const { name, endpoint, clusterIdentifier: said } = news;
    const { endpoint: before = endpoint, clusterId = before } = olds;
    const refuse = (cause: string, hint: string) => new NfvError({ code: "INVALID_INPUT", node: name, cause, hint });
    const why =
        "the uid of namespace kube-system is not known of both (credentials that may not read it, or a cluster that does not answer)";
    if (isSaidToBeMoved(olds, news) && !isRenamed(olds, news) && answer === "other") {
        return refuse(
            `clusterIdentifier says that ${endpoint} is the cluster "${clusterId}" still, but kube-system has the uid ${seen} there, and had ${former} at ${before}`,
            "Set the endpoint back. Or, to move everything to the other cluster, give another clusterIdentifier, or the Vim another name.",
        );
    }
    if (isMoved(olds, news)) {
        if (answer === "same") return undefined;
        if (answer === "other") {
            return refuse(
                `${endpoint} is another cluster than ${before}: kube-system has the uid ${seen}, it had ${former}`,
                "Set the endpoint back. Or, to move everything to the other cluster, give the Vim another name, or another clusterIdentifier.",
            );
        }
        return refuse(
            `whether ${endpoint} is the same cluster as ${before} cannot be told: ${why}`,
            `If it is the same cluster, say so: clusterIdentifier: "${clusterId}". If it is another one, give the Vim another name. Or give credentials that may read kube-system.`,
        );
    }
    if (!isHeldBack(olds, news) || answer !== "unknown") return undefined;
    return refuse(
        `whether clusterIdentifier "${said}" is another cluster than "${clusterId}" cannot be told: ${why}`,
        `If it is the same cluster, keep the name that the state has: clusterIdentifier: "${clusterId}". If it is another one, give the Vim another name. Or give credentials that may read kube-system.`,
    );
}

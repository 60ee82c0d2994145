import { NfvError } from "../../common/errors";
import type { CheckedLive } from "../../contract/types";
import { hasUnknown, same } from "../../contract/values";
import { settle } from "../../vim";
import { asFailures, type ClusterAccess, liveSeconds } from "../../vim/check-cluster";
import { ownerOf } from "../../vim/ownership";
import { clusterPath, type WorkloadName } from "../look-at-workload";
import { markOf } from "../move/transit";
import type { MoveObject } from "../move/types";
import { workloadApis } from "./workload-place";

/** A cluster that can move, and the management cluster that the program gives. */
export interface Managed extends WorkloadName {
    access: ClusterAccess;
    /** Of the management cluster where it was made: with another one it is another cluster. */
    clusterId: string;
    /** Set by check: of the management cluster to which it has moved, and which the program gives now. */
    knownAs?: string;
}

/** The inputs with the first name of the management cluster, as far as that is known without a request. Pure. */
export function withFirstId<T extends Managed>(olds: Partial<T>, news: T): T {
    const { clusterId, knownAs } = olds;
    if (clusterId === undefined || knownAs === undefined || knownAs !== news.clusterId) return news;
    return { ...news, clusterId, knownAs };
}

/** Whether the program gives another management cluster than before. Pure. */
export const isElsewhere = (olds: Partial<Managed>, news: Managed): boolean =>
    olds.clusterId !== undefined &&
    !hasUnknown([news.access, news.clusterId]) &&
    olds.clusterId !== news.clusterId &&
    same([olds.namespace, olds.clusterName], [news.namespace, news.clusterName]);

/**
 * A management cluster that has the cluster is where it goes on. Any other one is refused: the cluster would be removed with all that runs on it, and be made
 * again there. `owner`: the mark on its objects.
 */
export async function checkElsewhere<T extends Managed>(
    olds: Partial<T>,
    news: T,
    owner: string,
): Promise<CheckedLive<T>> {
    try {
        const api = workloadApis.of(news.access);
        const found = await settle(liveSeconds, () => api.get<MoveObject>(clusterPath(news)));
        if (found !== undefined && ownerOf(found) === owner && markOf(found) === undefined)
            return { failures: [], inputs: { clusterId: olds.clusterId, knownAs: news.clusterId } as Partial<T> };
        return { failures: asFailures(notThere(news, `it is not at ${news.access.endpoint}, or has not arrived`)) };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return { failures: asFailures(notThere(news, `whether it is there cannot be asked: ${error.reason}`)) };
    }
}

const notThere = ({ clusterName }: Managed, why: string) =>
    new NfvError({
        code: "INVALID_INPUT",
        node: `workload cluster "${clusterName}"`,
        cause: `management: the program gives another management cluster, and ${why}`,
        hint: "Nothing has been touched. Set it back, and move the cluster with MovedClusters first. To make it again there, with the loss of all that runs on it, give it another name.",
    });

import { NfvError } from "../common/errors";
import { howToGiveUp, isGivenUp } from "../contract/give-up";
import { hasUnknown } from "../contract/values";
import type { ClusterAccess } from "../vim/check-cluster";
import { exportLeaving } from "./exports-in-use";
import { inUse } from "./storage-users";

/** What a cluster's storage server serves, noted where it is still found after the server has left the program. */
export interface Served {
    address: string;
    /** Path of each export → its volume. */
    exports: Record<string, string>;
    /** See StorageMachineInputs. */
    force: string[];
}

export interface ServedInputs {
    /** None: the cluster has no storage server. */
    served?: Served;
    /** As administrator. Secret. */
    access?: ClusterAccess;
}

/** Name of a cluster's storage server among its machines, in our notes on it, too. Its server in the cloud has another name. */
export const storageNode = "storage";

/**
 * Why the storage server must stay that the program has no more. Its own deletion asks again, but that comes late in a run and is no part of a
 * preview.
 */
export async function whyServerStays(
    olds: ServedInputs,
    news: ServedInputs,
    clusterId: string,
): Promise<NfvError | undefined> {
    const { served } = olds;
    // With a server that is lost, neither its claims' pods end nor can an up change its force.
    if (served === undefined || news.served !== undefined || isGivenUp(clusterId, storageNode)) return undefined;
    const access = hasUnknown(news.access) ? olds.access : news.access;
    const leaving = Object.entries(served.exports)
        .sort()
        .map(([path, volume]) => exportLeaving(served.address, path, volume));
    const used = await inUse({ leaving, access, force: served.force, node: storageNode });
    if (used === undefined) return undefined;
    const hint =
        "Delete the claims and pods that the message names first, or bring the input storage back. To go on without them: bring it back with " +
        `the names in storage.force, run pulumi up, then remove it. A server that is lost: ${howToGiveUp(clusterId, storageNode)}`;
    return new NfvError({ code: used.code, node: used.node, cause: used.reason, hint });
}

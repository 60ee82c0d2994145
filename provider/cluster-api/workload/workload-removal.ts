import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { settle } from "../../vim";
import { liveSeconds } from "../../vim/check-cluster";
import { clusterPath } from "../look-at-workload";
import type { Seen } from "../workload-seen";
import { workloadApis } from "./workload-place";
import { type Watched, watchWorkload } from "./workload-watch";

/** Removes a Cluster and waits until Cluster API has removed all that it had made for it. */
export async function removeCluster(found: Seen, watched: Watched, context: Context): Promise<void> {
    if (found.spec?.paused === true) throw isPaused();
    const { uid } = found.metadata;
    const api = workloadApis.of(watched.access);
    await settle(liveSeconds, () => api.delete(clusterPath(watched), { preconditions: { uid } }));
    await watchWorkload(watched, context, "remove the cluster", ({ cluster, machines }) => {
        const gone = cluster === undefined || cluster.metadata.uid !== uid;
        const why = cluster?.status?.conditions?.find(({ type }) => type === "Deleting")?.message ?? "";
        return {
            done: gone,
            text: gone ? "it is gone" : `${machines.length} machines left; ${why.replace(/\s*\n\s*/g, " ")}`,
        };
    });
}

/** A deletion that nothing carries out cannot be taken back. */
function isPaused(): NfvError {
    return new NfvError({
        code: "WORKLOAD_NOT_READY",
        step: "remove the cluster",
        cause: "the Cluster is paused, so Cluster API would not remove it",
        hint: "Let it go on: paused: false and pulumi up, or kubectl patch where others have paused it, for example to move it.",
    });
}

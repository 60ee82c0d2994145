import { isCluster, isPausable, kindKey, objectKey, titles } from "./object-key";
import { isLeaving, type Pair } from "./pairs";
import { markOf } from "./transit";
import type { MoveObject } from "./types";

interface Status {
    initialization?: { infrastructureProvisioned?: boolean; controlPlaneInitialized?: boolean };
    nodeRef?: { name?: string };
}

interface Reference {
    kind?: string;
    apiGroup?: string;
    name?: string;
}

/**
 * Clusters and Machines that are half made. An infrastructure object on which its provider has not even put a finalizer has nothing in the cloud, so it
 * may move as it is.
 */
export function unfinished(pairs: readonly Pair[]): MoveObject[] {
    const byKey = new Map(pairs.map(({ key, object }) => [key, object]));
    const begun = ({ spec, metadata: { namespace } }: MoveObject) => {
        const { kind, apiGroup, name } = (spec as { infrastructureRef?: Reference })?.infrastructureRef ?? {};
        const made = byKey.get(`${kind}.${apiGroup} ${namespace}/${name}`);
        return (made?.metadata.finalizers ?? []).length > 0;
    };
    // Copies that never went on have no status yet. Their originals were finished.
    const waiting = new Set(
        pairs.filter(({ object }) => isCluster(object) && markOf(object)?.madeFrom !== undefined).map(({ key }) => key),
    );
    return pairs
        .filter(({ object, standing }) => {
            if (standing === "there" || waiting.has(clusterKeyOf(object))) return false;
            const { initialization = {}, nodeRef } = (object["status"] ?? {}) as Status;
            const done = isCluster(object)
                ? initialization.infrastructureProvisioned === true && initialization.controlPlaneInitialized === true
                : kindKey(object) !== "Machine.cluster.x-k8s.io" || nodeRef?.name !== undefined;
            return !done && begun(object);
        })
        .map(({ object }) => object);
}

const clusterLabel = "cluster.x-k8s.io/cluster-name";

function clusterKeyOf(object: MoveObject): string {
    const { namespace = "", labels = {} } = object.metadata;
    const name = labels[clusterLabel] ?? (object["spec"] as { clusterName?: string } | undefined)?.clusterName;
    return isCluster(object) ? objectKey(object) : `Cluster.cluster.x-k8s.io ${namespace}/${name}`;
}

interface Condition {
    type: string;
    status: string;
}

const blockMoveAnnotation = "clusterctl.cluster.x-k8s.io/block-move";

/** What has to end before the first object is made on the other cluster; "": nothing. */
export function whatToWaitFor(pairs: readonly Pair[]): string {
    const active = pairs.filter(({ object }) => !isLeaving(object)).map(({ object }) => object);
    const busy = active.filter(({ status, metadata: { labels = {} }, ...rest }) => {
        const conditions = (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
        const pausedNow = conditions.find(({ type }) => type === "Paused")?.status;
        const follows = isPausable(rest as MoveObject) || clusterLabel in labels;
        return follows && pausedNow !== undefined && pausedNow !== "True";
    });
    const blocked = active.filter(({ metadata: { annotations = {} } }) => blockMoveAnnotation in annotations);
    return [
        ...(busy.length > 0 ? [`until their controllers have paused: ${titles(busy)}`] : []),
        ...(blocked.length > 0
            ? [`until their provider lets them go (${blockMoveAnnotation}): ${titles(blocked)}`]
            : []),
    ].join("; ");
}

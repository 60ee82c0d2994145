import type { KubeObject } from "../../vim";
import { moveLabels } from "./move-kinds";

/** On objects of a program that finds them again on the other side of a move. */
export const movableAnnotation = "pulumi-nfv.dev/movable";
/** On a Cluster: the uid that it had when it was made. A copy has another one, and is the same cluster. */
const firstUidAnnotation = "pulumi-nfv.dev/first-uid";

/** On a Cluster: its program gives the management cluster that has it after a move, and does not know any more where it was made. */
const knownHereAnnotation = "pulumi-nfv.dev/known-here";

interface Annotated {
    metadata: { uid?: string; annotations?: Record<string, string> };
}

export const isMovable = ({ metadata: { annotations = {} } }: Annotated): boolean => movableAnnotation in annotations;

export const isKnownHere = ({ metadata: { annotations = {} } }: Annotated): boolean =>
    knownHereAnnotation in annotations;

/** What identifies a cluster wherever its objects are. */
export const identityOf = ({ metadata: { uid, annotations = {} } }: Annotated): string | undefined =>
    annotations[firstUidAnnotation] ?? uid;

/** The patch that notes the identity of a Cluster, and whether its program knows it here only; undefined: both are noted. */
export function notePatch(cluster: Annotated, isHere: boolean): object | undefined {
    const { uid, annotations = {} } = cluster.metadata;
    if (uid === undefined) return undefined;
    const changes = {
        ...(annotations[firstUidAnnotation] === undefined && { [firstUidAnnotation]: uid }),
        ...(isKnownHere(cluster) !== isHere && { [knownHereAnnotation]: isHere ? "" : null }),
    };
    return Object.keys(changes).length === 0 ? undefined : { metadata: { uid, annotations: changes } };
}

/** An object as a program with a movable cluster applies it: a move takes it along whoever owns it, and so does clusterctl. */
export function asMovable<T extends KubeObject>(object: T, labels: Record<string, string>): T {
    const { metadata } = object;
    return {
        ...object,
        metadata: {
            ...metadata,
            labels: { ...metadata.labels, ...labels, [moveLabels[0]]: metadata.labels?.[moveLabels[0]] ?? "" },
            annotations: { ...metadata.annotations, [movableAnnotation]: "" },
        },
    };
}

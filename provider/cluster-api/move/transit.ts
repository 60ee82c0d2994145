import { createHash } from "node:crypto";
import type { Moved } from "./object-graph";
import { isCluster, isClusterClass, isResourceSet } from "./object-key";
import type { MoveObject, OwnerReference } from "./types";

/** On objects that take part in a move, as long as it lasts. */
export const movingAnnotation = "pulumi-nfv.dev/moving";
/** clusterctl has it, so that providers can tell a deletion from a move. */
export const deleteForMoveAnnotation = "clusterctl.cluster.x-k8s.io/delete-for-move";
export const pausedAnnotation = "cluster.x-k8s.io/paused";

/** What the annotation says. */
export interface Mark {
    /** The cluster with which this one shares the move. */
    peer: string;
    /** This object was made from the one with this uid on the other cluster; undefined: it was there first, and was paused. */
    madeFrom?: string;
    /** Of what it was made from. "": made, and not yet complete. */
    content?: string;
}

export const markText = ({ peer, madeFrom, content }: Mark): string =>
    [peer, madeFrom, content].filter(each => each !== undefined).join(" ");

export function markOf({ metadata: { annotations = {} } }: MoveObject): Mark | undefined {
    const text = annotations[movingAnnotation];
    if (text === undefined) return undefined;
    const [peer = "", madeFrom, content = ""] = text.split(" ");
    return { peer, ...(madeFrom !== undefined && { madeFrom, content }) };
}

export function isPaused({ spec, metadata: { annotations = {} } }: MoveObject): boolean {
    return pausedAnnotation in annotations || (spec as { paused?: boolean } | undefined)?.paused === true;
}

/** Paused by annotation: such kinds have no field for it. */
const isAnnotated = (object: MoveObject) => isClusterClass(object) || isResourceSet(object);

/** The patch that pauses an object, or lets it go on. */
export function pausePatch(object: MoveObject, mark: Mark | undefined): object {
    const on = mark !== undefined;
    const moving = { [movingAnnotation]: mark === undefined ? null : markText(mark) };
    if (isAnnotated(object)) return { metadata: { annotations: { ...moving, [pausedAnnotation]: on ? "" : null } } };
    return { metadata: { annotations: moving }, spec: { paused: on ? true : null } };
}

/** Fields of the metadata that are the cluster's. */
const unsaid = [
    ...["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"],
    ...["selfLink", "managedFields", "ownerReferences", "generateName"],
];
const ownAnnotations = [movingAnnotation, deleteForMoveAnnotation];

/** The object without what each cluster has of its own. Its status is computed again by the controllers. */
function essence({ object, owners }: Moved): Record<string, unknown> & { metadata: Record<string, unknown> } {
    const { status: _, metadata, ...rest } = object;
    const annotations = without(metadata.annotations ?? {}, ownAnnotations);
    const spec = isCluster(object) ? { spec: { ...(rest["spec"] as object), paused: true } } : {};
    return {
        ...rest,
        ...spec,
        metadata: {
            ...without(metadata as unknown as Record<string, unknown>, unsaid),
            annotations: isAnnotated(object) ? { ...annotations, [pausedAnnotation]: "" } : annotations,
            ...(owners.length > 0 && { owners: owners.map(({ key }) => key).sort() }),
        },
    };
}

/** Two objects with the same content need no copy of each other. */
export function contentOf(moved: Moved): string {
    return createHash("sha256")
        .update(canonical(essence(moved)))
        .digest("hex")
        .slice(0, 16);
}

/** The object as it is made on the other cluster, paused. `uidOf`: of objects there. */
export function copyOf(moved: Moved, mark: Mark | undefined, uidOf: (key: string) => string): MoveObject {
    const { metadata, ...rest } = essence(moved);
    const { owners: _, annotations, ...named } = metadata;
    const ownerReferences: OwnerReference[] = moved.owners.map(({ key, reference }) => ({
        ...reference,
        uid: uidOf(key),
    }));
    return {
        ...rest,
        metadata: {
            ...named,
            annotations: { ...(annotations as object), ...(mark && { [movingAnnotation]: markText(mark) }) },
            ...(ownerReferences.length > 0 && { ownerReferences }),
        },
    } as unknown as MoveObject;
}

function without<T>(from: Record<string, T>, names: readonly string[]): Record<string, T> {
    return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
}

/** JSON in which the order of fields says nothing. */
function canonical(value: unknown): string {
    return JSON.stringify(value, (_, inner) =>
        inner !== null && typeof inner === "object" && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
            : inner,
    );
}

/** Whether two objects say the same, whatever their names and histories are. */
export function sayTheSame(one: MoveObject, other: MoveObject): boolean {
    const said = ({ metadata: _, status: __, ...rest }: MoveObject) => canonical(rest);
    return said(one) === said(other);
}

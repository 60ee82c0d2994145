import { type Moved, type MoveGraph, moveGraph } from "./object-graph";
import { objectKey } from "./object-key";
import { contentOf, deleteForMoveAnnotation, markOf, sayTheSame } from "./transit";
import type { MoveObject, Sight } from "./types";

/**
 * What stands for an object on the other cluster. absent: nothing. stale: a copy that is incomplete, or of a former content, or with former owners. there:
 * it is there, whole. dying: it is there, and its deletion has begun: it can only be made again. foreign: another object of that name.
 */
export type Standing = "absent" | "stale" | "there" | "dying" | "foreign";

export interface Pair extends Moved {
    /** The object of that name on the other cluster. */
    other?: MoveObject;
    standing: Standing;
}

export interface Pairs extends Pick<MoveGraph, "stuck"> {
    pairs: Pair[];
    /** All objects of the other cluster, by key. */
    there: Map<string, MoveObject>;
}

/** Which side has what: found out by a look at both, and never remembered. */
export function pairUp(sight: Sight): Pairs {
    const { moved, stuck } = moveGraph(sight.from, sight.namespaces);
    const there = new Map(sight.to.objects.map(object => [objectKey(object), object]));
    const pairs = moved.map((each): Pair => {
        const other = there.get(each.key);
        if (other === undefined) return { ...each, standing: "absent" };
        const standing = standingOf(each, other, sight);
        const fits = standing !== "there" || each.isShared || ownersFit(each, other, there);
        return { ...each, other, standing: fits ? standing : "stale" };
    });
    return { pairs, stuck, there };
}

function standingOf(moved: Moved, other: MoveObject, { from, to }: Sight): Standing {
    const { object, isShared } = moved;
    const [here, there] = [markOf(object), markOf(other)];
    // A move in the other direction had begun: this object was made from that one.
    const isOrigin = here?.peer === to.uid && here.madeFrom === other.metadata.uid;
    const isCopy = there?.peer === from.uid && there.madeFrom === object.metadata.uid;
    if (!isOrigin && !isCopy) return isShared && sayTheSame(object, other) ? "there" : "foreign";
    if (other.metadata.deletionTimestamp !== undefined) return "dying";
    return isOrigin || isLeaving(object) || there?.content === contentOf(moved) ? "there" : "stale";
}

/** An owner that was made again has another uid: with the former one, the object would be collected as garbage. */
function ownersFit({ owners }: Moved, { metadata }: MoveObject, there: Map<string, MoveObject>): boolean {
    const uids = (metadata.ownerReferences ?? []).map(({ uid }) => uid);
    return owners.every(({ key }) => uids.includes(there.get(key)?.metadata.uid ?? ""));
}

/** Its deletion has begun, after its copy had been found whole. */
export const isLeaving = ({ metadata: { deletionTimestamp, annotations = {} } }: MoveObject) =>
    deletionTimestamp !== undefined && deleteForMoveAnnotation in annotations;

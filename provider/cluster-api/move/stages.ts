import type { NfvError } from "../../common/errors";
import { isPausable, titles } from "./object-key";
import { isLeaving, type Pair, pairUp } from "./pairs";
import { moveProblem } from "./problems";
import { deleteForMoveAnnotation, isPaused, markOf } from "./transit";
import type { Guard, MoveObject, Sight } from "./types";
import { unfinished, whatToWaitFor } from "./waits";

/** What has to be done next. All of it may be done again: a run that was killed begins with another look. */
export type Stage =
    | { name: "refuse"; error: NfvError }
    /** What the former direction had begun to remove there goes for good, and is made again. */
    | { name: "bury"; objects: MoveObject[] }
    /** Something was begun between the look and the pause: its controllers have to finish it. */
    | { name: "release"; objects: MoveObject[] }
    /** The objects of both sides go to rest. */
    | { name: "pause"; from: MoveObject[]; to: MoveObject[] }
    | { name: "wait"; text: string }
    /** The copies, owners first. */
    | { name: "create"; levels: Pair[][]; namespaces: string[] }
    /** From now on no Cluster can be made in these namespaces where they were. */
    | { name: "guard"; guards: Guard[] }
    /** The originals, owners last. */
    | { name: "delete"; levels: Pair[][] }
    /** The marks, but for those of the paused. */
    | { name: "clear"; objects: MoveObject[] }
    /** Clusters can be made here again. */
    | { name: "unguard"; guards: Guard[] }
    | { name: "resume"; objects: MoveObject[] }
    | { name: "done" };

/**
 * The next stage of a move, from what is seen on both sides. Copies are made only of what is paused; an original is deleted only when all copies are
 * whole; copies go on only when no original is left. So no Cluster is ever worked on by two.
 */
export function nextStage(sight: Sight, { returning }: { returning: boolean }): Stage {
    const { from, to, namespaces } = sight;
    const all = pairUp(sight);
    const { pairs } = all;
    const lacking = pairs.filter(({ standing }) => standing !== "there");
    const leaving = pairs.filter(({ isShared }) => !isShared);
    const mustMake = lacking.length > 0 || all.stuck.length > 0;
    const error = mustMake ? moveProblem(sight, all, returning) : undefined;
    if (error !== undefined) return { name: "refuse", error };

    const dying = pairs.flatMap(({ standing, other }) => (standing === "dying" ? [other!] : []));
    if (dying.length > 0) return { name: "bury", objects: dying };
    const open = lacking.length > 0 ? unfinished(pairs) : [];
    if (open.length > 0) {
        const paused = leaving
            .map(({ object }) => object)
            .filter(object => isPausable(object) && rests(object, to.uid));
        if (paused.length > 0 && pairs.every(({ other }) => other === undefined))
            return { name: "release", objects: paused };
        return {
            name: "wait",
            text: `until these are made, as a server that is ordered now would be lost: ${titles(open)}`,
        };
    }
    const marked = to.objects.filter(object => markOf(object)?.peer === from.uid);
    const awake = {
        from: leaving
            .map(({ object }) => object)
            .filter(object => isPausable(object) && !isLeaving(object) && !rests(object, to.uid)),
        to: leaving.length === 0 ? [] : marked.filter(object => isPausable(object) && !isPaused(object)),
    };
    if (awake.from.length + awake.to.length > 0) return { name: "pause", ...awake };
    if (lacking.length > 0) {
        const text = whatToWaitFor(pairs);
        if (text !== "") return { name: "wait", text };
        return { name: "create", levels: byLevel(lacking), namespaces: namespacesLacking(lacking, to.namespaces) };
    }
    if (leaving.length > 0) {
        const guards = returning ? [] : guardsLacking(sight);
        if (guards.length > 0) return { name: "guard", guards };
        return { name: "delete", levels: byLevel(leaving).reverse() };
    }
    const signed = to.objects.filter(object => deleteForMoveAnnotation in (object.metadata.annotations ?? {}));
    const done = [...marked.filter(object => !isPausable(object)), ...signed];
    if (done.length > 0) return { name: "clear", objects: [...new Set(done)] };
    const guards = to.guards.filter(({ namespace, movedTo }) => namespaces.includes(namespace) && movedTo === from.uid);
    if (guards.length > 0) return { name: "unguard", guards };
    return marked.length > 0 ? { name: "resume", objects: marked } : { name: "done" };
}

/** Paused, and by this move. */
const rests = (object: MoveObject, peer: string) => isPaused(object) && markOf(object)?.peer === peer;

function guardsLacking({ from, to, namespaces }: Sight): Guard[] {
    const guarded = from.guards.filter(({ movedTo }) => movedTo === to.uid).map(({ namespace }) => namespace);
    return namespaces
        .filter(each => from.namespaces.includes(each) && !guarded.includes(each))
        .map(namespace => ({ namespace, movedTo: to.uid }));
}

function byLevel(pairs: readonly Pair[]): Pair[][] {
    const levels: Pair[][] = [];
    for (const pair of pairs) {
        levels[pair.level] ??= [];
        levels[pair.level]!.push(pair);
    }
    return levels.filter(level => level !== undefined);
}

function namespacesLacking(pairs: readonly Pair[], existing: readonly string[]): string[] {
    const used = pairs.flatMap(({ object }) => object.metadata.namespace ?? []);
    return [...new Set(used)].filter(each => !existing.includes(each)).sort();
}

import { type Operation, operationLine } from "./operation";

/** An operation of a former run that has not ended. */
export interface UnfinishedOperation extends Operation {
    /** Input that it changed → its value before, as the description has it. */
    former?: Record<string, string | undefined>;
}

/** Which of this run's operations take an unfinished one back. */
export interface TakenBack {
    operations: Operation[];
    /** Ids of the unfinished operations that are taken back: they never end. */
    ids: string[];
}

/**
 * Marks the operations that undo an unfinished one, as the program is again what it was before: nodes that should join leave, or the package is the
 * former one. `now`: input → its value in the program. Pure.
 */
export function takenBack(
    unfinished: readonly UnfinishedOperation[],
    found: readonly Operation[],
    now: Readonly<Record<string, string | undefined>>,
): TakenBack {
    const ids: string[] = [];
    const operations = found.map(operation => {
        const back = unfinished.find(each => !ids.includes(each.id) && undoes(operation, each, now));
        if (back === undefined) return operation;
        ids.push(back.id);
        return { ...operation, rollbackOf: back.id, reasons: [operationLine([back])] };
    });
    return { operations, ids };
}

function undoes(
    operation: Operation,
    unfinished: UnfinishedOperation,
    now: Readonly<Record<string, string | undefined>>,
): boolean {
    if (operation.kind !== unfinished.kind) return false;
    if (operation.kind === "scale")
        return (
            unfinished.direction === "out" &&
            operation.direction === "in" &&
            sameNames(operation.removed, unfinished.added)
        );
    const { former } = unfinished;
    if (operation.kind !== "change_current_package" || former === undefined) return false;
    return (
        sameNames(operation.changed, unfinished.changed) && unfinished.changed.every(name => former[name] === now[name])
    );
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
    return one.length === other.length && one.every(name => other.includes(name));
}

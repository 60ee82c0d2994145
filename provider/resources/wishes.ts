import { unknownSetting, type WishesInput } from "./operation-start-inputs";
import type { Diff } from "./types";
import { topLevel, unknownValue } from "./values";

/**
 * Counts the changes of each wish. If a run is killed, its steps go on on the machine, but the engine does not record
 * them: the state has the former fingerprints. If the program then goes back to the former wish, only the changed
 * number shows that the machine may differ.
 */
export function numberWishes(
    { wishes: before = {}, wishNumbers = {} }: WishesInput,
    { wishes: after }: WishesInput,
): WishesInput {
    if (after === undefined) return {};
    if ((after as unknown) === unknownValue) return { wishes: before, wishNumbers };
    const isOpen = (wish: string | undefined) => wish === unknownSetting || wish === unknownValue;
    const names = Object.keys(after);
    // An unknown wish counts as unchanged. So does the first one: a state of an older release has none.
    const wishes = names.map(name => [name, isOpen(after[name]) ? before[name] : after[name]] as const);
    const numbers = wishes.map(([name, wish]) => {
        const isOther = before[name] !== undefined && before[name] !== wish;
        return [name, (wishNumbers[name] ?? 0) + (isOther ? 1 : 0)] as const;
    });
    return {
        wishes: Object.fromEntries(wishes.filter(([, wish]) => wish !== undefined)) as Record<string, string>,
        wishNumbers: Object.fromEntries(numbers.filter(([, number]) => number > 0)),
    };
}

/** Input of a machine's resources. */
export interface WishNumberInput {
    /** See WishesInput. @default 0 */
    wishNumber?: number;
}

/**
 * The wish has changed since the last run that was recorded, perhaps back and forth, so the state may differ from the
 * machine. An unknown number counts as unchanged.
 */
export function mayDiffer(olds: WishNumberInput, news: WishNumberInput): boolean {
    const [before, after] = [olds.wishNumber ?? 0, news.wishNumber ?? 0];
    return typeof after === "number" && before !== after;
}

/** The diff of a machine's resource, from what its state shows. */
export function machineDiff(
    olds: WishNumberInput,
    news: WishNumberInput,
    { replaces, update }: { replaces: string[]; update: boolean },
): Diff {
    const isChanged = replaces.length > 0 || update;
    const looksAgain = !isChanged && mayDiffer(olds, news);
    return {
        changes: isChanged || looksAgain,
        replaces: topLevel(replaces),
        deleteBeforeReplace: true,
        ...(looksAgain && { note: whyLookAgain }),
    };
}

const whyLookAgain = "looks at the machine again: an earlier change of the program may have reached it unrecorded";

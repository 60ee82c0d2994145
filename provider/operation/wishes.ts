import type { Diff } from "../contract/types";
import { topLevel, unknownValue } from "../contract/values";
import { unknownSetting } from "./operation-start-inputs";

/** What the program wants of the resources that run steps, see numberChanges. */
export interface WishesInput {
    /**
     * Resource ("host m1", "node m1", "storage", "network") → keyed hash of the steps that the program wants, or
     * `unknownSetting`. Addresses that the cloud assigns are not part of it, so it is known before the machine is. Set
     * by check: "gone" of a resource that left the program.
     */
    wishes: Record<string, string>;
    /** Set by check: resource → how often its wish has changed; 0 is left out. */
    changeNumbers?: Record<string, number>;
}

/**
 * Counts the changes of each entry; to leave the program is one, too. If a run is killed, its steps go on on the machine, but the engine does not record
 * them: the state has the former fingerprints. If the program then goes back to the former wish, only the changed
 * number shows that the machine may differ.
 */
export function numberChanges(
    { wishes: before = {}, changeNumbers = {} }: Partial<WishesInput>,
    { wishes: after }: WishesInput,
): WishesInput {
    if ((after as unknown) === unknownValue) return { wishes: before, changeNumbers };
    const isOpen = (wish: string | undefined) => wish === unknownSetting || wish === unknownValue;
    // Those that left the program are kept: a run that is killed before or while they leave does not record it, and they
    // may come back.
    const names = Object.keys({ ...before, ...after });
    // An unknown wish counts as unchanged. So does the first one: nothing was there before.
    const wishOf = (name: string) => (isOpen(after[name]) ? before[name] : (after[name] ?? gone));
    const wishes = names.map(name => [name, wishOf(name)] as const);
    const numbers = wishes.map(([name, wish]) => {
        const isOther = before[name] !== undefined && before[name] !== wish;
        return [name, (changeNumbers[name] ?? 0) + (isOther ? 1 : 0)] as const;
    });
    return {
        wishes: Object.fromEntries(wishes.filter(([, wish]) => wish !== undefined)) as Record<string, string>,
        changeNumbers: Object.fromEntries(numbers.filter(([, number]) => number > 0)),
    };
}

/** In place of the hash: the program does not have it any more. */
const gone = "gone";

/** Input of the resources that run steps. */
export interface ChangeNumberInput {
    /** See WishesInput. @default 0 */
    changeNumber?: number;
}

/**
 * The wish has changed since the last run that was recorded, perhaps back and forth, so the state may differ from the
 * machine. An unknown number counts as unchanged.
 */
export function mayDiffer(olds: ChangeNumberInput, news: ChangeNumberInput): boolean {
    return isCounted(olds.changeNumber, news.changeNumber);
}

const isCounted = (before: number | undefined = 0, after: unknown = 0) => typeof after === "number" && before !== after;

/**
 * There was more than one change since the last run that was recorded: the last one may have led back to what the state
 * shows. After one change, what the state does not show as changed is as it was.
 */
export function mayHaveGoneBack(olds: ChangeNumberInput, news: ChangeNumberInput): boolean {
    return mayDiffer(olds, news) && news.changeNumber !== (olds.changeNumber ?? 0) + 1;
}

/** Input of what brings all nodes to the endpoint: how often that has changed. */
export interface EndpointNumberInput {
    /** @default 0 */
    endpointNumber?: number;
}

/** The endpoint has changed since the last run that was recorded, perhaps back and forth, so nodes may use another one than the state shows. */
export function mayHaveMoved(olds: EndpointNumberInput, news: EndpointNumberInput): boolean {
    return isCounted(olds.endpointNumber, news.endpointNumber);
}

interface FoundChanges {
    replaces: string[];
    update: boolean;
    /** The one change that the number counts is one that the machine waits for: nothing of it has reached it. */
    waits?: boolean;
}

/** The diff of a machine's resource, from what its state shows. */
export function machineDiff(olds: ChangeNumberInput, news: ChangeNumberInput, found: FoundChanges): Diff {
    return { ...diffOf(olds, news, found, "looks at the machine again"), deleteBeforeReplace: true };
}

/** The same of what concerns the whole cluster. */
export function clusterWideDiff(olds: ChangeNumberInput, news: ChangeNumberInput, found: FoundChanges): Diff {
    return diffOf(olds, news, found, "applies it again");
}

function diffOf(olds: ChangeNumberInput, news: ChangeNumberInput, found: FoundChanges, what: string): Diff {
    const { replaces, update, waits = false } = found;
    const isChanged = replaces.length > 0 || update;
    const looksAgain = !isChanged && mayDiffer(olds, news);
    return {
        changes: isChanged || looksAgain,
        replaces: topLevel(replaces),
        ...(looksAgain &&
            (!waits || mayHaveGoneBack(olds, news)) && {
                note: `${what}: an earlier change of the program may have reached it unrecorded`,
            }),
    };
}

import { type Story, stories, storyOf } from "./stories";

/** What decides which test files of a level run. */
export interface Choice {
    /** Also the long stories: the files that end with `.full.test.ts`. */
    full: boolean;
    /** Only these stories. Empty: all. */
    named: readonly string[];
    /** Only stories whose sources differ from this commit. */
    since?: string;
}

/** What is known of the checkout. */
export interface Checkout {
    /** The commit on which each story last passed. */
    passed: Readonly<Record<string, string>>;
    /** Files that differ from a commit; undefined: that commit is not in this clone. */
    changedSince: (commit: string) => readonly string[] | undefined;
    /** The helpers that a test file uses, both paths below test/. */
    helpersOf: (file: string) => readonly string[];
    /** Differs from landing to landing, in a clone without history, too; decides whose turn it is. */
    turn: number;
}

const longStory = /\.full\.test\.[jt]s$/;

/** Splits test files, paths below test/, into those that run and those that do not, with the reason. */
export function chooseFiles(
    files: readonly string[],
    choice: Choice,
    checkout: Checkout,
    table: Readonly<Record<string, Story>> = stories,
): { run: string[]; leftOut: Map<string, string> } {
    const leftOut = new Map<string, string>();
    const isDue = (name: string, commit: string | undefined) => {
        const changed = commit === undefined ? undefined : checkout.changedSince(commit);
        if (changed === undefined) return true;
        const own = files.filter(file => storyOf(file, table) === name);
        const helpers = new Set(own.flatMap(checkout.helpersOf).map(helper => `test/${helper}`));
        return changed.some(file => helpers.has(file) || isOf(name, file, table));
    };
    const run = files.filter(file => {
        const name = storyOf(file, table);
        const reason = whyNot(file, name, choice, { ...checkout, isDue }, table);
        if (reason !== undefined && choice.named.length === 0) leftOut.set(name ?? "the others", reason);
        return reason === undefined;
    });
    return { run, leftOut };
}

function whyNot(
    file: string,
    name: string | undefined,
    { full, named, since }: Choice,
    checkout: Checkout & { isDue: (name: string, commit: string | undefined) => boolean },
    table: Readonly<Record<string, Story>>,
): string | undefined {
    if (named.length > 0) return name !== undefined && named.includes(name) ? undefined : "not asked for";
    if (since !== undefined) {
        if (name === undefined) return "no story: each landing runs them";
        return checkout.isDue(name, since) ? undefined : `unchanged since ${since}`;
    }
    if (full || name === undefined) return undefined;
    if (longStory.test(file)) return "long";
    const { inTurn, longOnly } = table[name]!;
    if (inTurn !== undefined) {
        const group = Object.keys(table).filter(other => table[other]!.inTurn === inTurn);
        const whose = group[checkout.turn % group.length]!;
        return whose === name ? undefined : `this time it is the turn of ${whose}`;
    }
    if (longOnly) return undefined;
    const commit = checkout.passed[name];
    return checkout.isDue(name, commit) ? undefined : `unchanged since it passed on ${commit}`;
}

/** Whether a file, a path from the project's root, is something that the story tests, or the story's own. */
function isOf(name: string, file: string, table: Readonly<Record<string, Story>>): boolean {
    const lies = (place: string) => file === place || file.startsWith(`${place}/`);
    return storyOf(file.replace(/^test\//, ""), table) === name || table[name]!.sources.some(lies);
}

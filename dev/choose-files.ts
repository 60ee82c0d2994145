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
    /** Grows from landing to landing; decides whose turn it is. */
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
    const run = files.filter(file => {
        const name = storyOf(file, table);
        const reason = whyNot(file, name, choice, checkout, table);
        if (reason !== undefined && choice.named.length === 0) leftOut.set(name ?? file, reason);
        return reason === undefined;
    });
    return { run, leftOut };
}

function whyNot(
    file: string,
    name: string | undefined,
    { full, named, since }: Choice,
    checkout: Checkout,
    table: Readonly<Record<string, Story>>,
): string | undefined {
    if (named.length > 0) return name !== undefined && named.includes(name) ? undefined : "not asked for";
    if (since !== undefined) {
        return name !== undefined && isDue(name, since, checkout, table) ? undefined : `unchanged since ${since}`;
    }
    if (full || name === undefined) return undefined;
    if (longStory.test(file)) return "long";
    const { inTurn } = table[name]!;
    if (inTurn !== undefined) {
        const group = Object.keys(table).filter(other => table[other]!.inTurn === inTurn);
        const whose = group[checkout.turn % group.length]!;
        return whose === name ? undefined : `this time it is the turn of ${whose}`;
    }
    const commit = checkout.passed[name];
    return isDue(name, commit, checkout, table) ? undefined : `unchanged since it passed on ${commit}`;
}

/** Whether something that the story tests, or the story itself, differs from that commit. */
function isDue(
    name: string,
    commit: string | undefined,
    { changedSince }: Checkout,
    table: Readonly<Record<string, Story>>,
): boolean {
    const changed = commit === undefined ? undefined : changedSince(commit);
    if (changed === undefined) return true;
    const lies = (file: string, place: string) => file === place || file.startsWith(`${place}/`);
    return changed.some(
        file =>
            storyOf(file.replace(/^test\//, ""), table) === name ||
            table[name]!.sources.some(place => lies(file, place)),
    );
}

import { addSkips, type Skips } from "./skips";
import { stories, storyOf } from "./stories";

/** Result of one mocha process or of one level. */
export interface Summary {
    passed: number;
    failed: number;
    skipped: number;
    /** Why tests were skipped. */
    skips: Skips;
    failures: string[];
    /** Paths below test/ of the test files of which at least one test passed, none failed and none was skipped. */
    passedFiles: string[];
    /** Paths of those of which a test or hook failed or a test was skipped. */
    notPassedFiles: string[];
    /** Test files with the seconds of their tests and hooks. */
    fileSeconds: [file: string, seconds: number][];
}

export const nothingRan = (): Summary => ({
    ...{ passed: 0, failed: 0, skipped: 0 },
    ...{ skips: {}, failures: [], passedFiles: [], notPassedFiles: [], fileSeconds: [] },
});

export function addTo(total: Summary, more: Summary): void {
    total.passed += more.passed;
    total.failed += more.failed;
    total.skipped += more.skipped;
    addSkips(total.skips, more.skips);
    total.failures.push(...more.failures);
    total.passedFiles.push(...more.passedFiles);
    total.notPassedFiles.push(...more.notPassedFiles);
    total.fileSeconds.push(...more.fileSeconds);
}

export interface LevelResult {
    name: string;
    summary: Summary;
    seconds: number;
    budgetSeconds: number;
}

/** The last line. A run without any test fails, so it says why. `grep`: what titles had to match. */
export function totalOf({ passed, failed, skipped }: Summary, grep?: string): string {
    const nothing = passed + failed + skipped === 0;
    const why = grep === undefined ? "no test ran" : `no test's title matches --grep ${grep}`;
    return `${passed} passed, ${failed} failed, ${skipped} skipped${nothing ? `: ${why}` : ""}`;
}

/** Minutes for a landing: with warm caches, and on a machine that first has to build its tools. */
export const landingBudget = { warm: 30, cold: 60 };

/** A set-up that took longer had something to build. */
const coldAfterSeconds = 120;

/** Seconds of each level and of all, beside their budgets. `full`: the long stories have no budget. */
export function timesOf(
    results: readonly LevelResult[],
    { seconds, setUpSeconds, full }: { seconds: number; setUpSeconds: number; full: boolean },
): string[] {
    const kind = setUpSeconds > coldAfterSeconds ? "cold" : "warm";
    const row = (name: string, took: number, budget: number) =>
        `  ${name.padEnd(12)}${String(took).padStart(6)} s${full ? "" : ` of ${budget} s${took > budget ? ", over budget" : ""}`}`;
    return [
        ...results.map(({ name, seconds: took, budgetSeconds }) => row(name, took, budgetSeconds)),
        row("all", seconds, landingBudget[kind] * 60),
        `  set-up beside the levels: ${setUpSeconds} s (${kind})`,
    ];
}

/** The files that took longest: where to look when a level is over its budget. */
export function slowestFiles(results: readonly LevelResult[], count = 20): string[] {
    const all = results.flatMap(({ summary }) => summary.fileSeconds);
    const slowest = all.sort(([, a], [, b]) => b - a).slice(0, count);
    return slowest.map(([file, seconds]) => `  ${String(Math.round(seconds)).padStart(5)} s  ${file}`);
}

/** The stories all of whose files passed, in each level that ran them. `filesOf`: the test files of a story, paths below test/. */
export function storiesThatPassed(
    results: readonly LevelResult[],
    filesOf: (story: string) => readonly string[],
): string[] {
    const passed = new Set(results.flatMap(({ summary }) => summary.passedFiles));
    for (const { summary } of results) for (const file of summary.notPassedFiles) passed.delete(file);
    return Object.keys(stories).filter(name => {
        const files = filesOf(name);
        return files.length > 0 && files.every(file => passed.has(file));
    });
}

/** Stories that did not run, in one block for each reason. */
export function leftOutLines(leftOut: ReadonlyMap<string, string>): string[] {
    const byReason = new Map<string, string[]>();
    for (const [name, reason] of leftOut) byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
    return [...byReason].map(([reason, names]) => `  ${reason}: ${names.join(", ")}`);
}

/** The stories, each with the commit on which it last passed. `of`: the test files whose stories are meant. @default all stories */
export function listOfStories(passed: Readonly<Record<string, string>>, of?: readonly string[]): string {
    const meant = of && new Set(of.map(file => storyOf(file)));
    const names = Object.keys(stories).filter(name => meant?.has(name) ?? true);
    const width = Math.max(...names.map(name => name.length)) + 2;
    return names.map(name => `${name.padEnd(width)}${passed[name] ?? "no run noted"}`).join("\n");
}

import "./ends-with-parent";
import { readArguments, type TestRun } from "./arguments";
import { notePassed, readCheckout } from "./checkout";
import { type Level, projectRoot } from "./levels";
import { withMemoryFolder } from "./memory-folder";
import { node24Environment } from "./node24";
import { say } from "./progress";
import { run } from "./run";
import { chosenRuns, compiledTests, type Mocha, runMocha } from "./run-mocha";
import { makeAhead, SetUpFailed, type SetUpName, withSetUp } from "./set-up";
import { skipLines } from "./skips";
import { stopOnSignals, stopSignal } from "./stop";
import { storyOf } from "./stories";
import {
    addTo,
    type LevelResult,
    leftOutLines,
    listOfStories,
    nothingRan,
    type Summary,
    slowestFiles,
    storiesThatPassed,
    timesOf,
    totalOf,
} from "./summary";

/** `npm test [-- full] [level or story…]`: runs the levels and ends with one line that adds them up. */
async function main(argv: string[]): Promise<number> {
    let asked: TestRun;
    let checkout: ReturnType<typeof readCheckout>;
    try {
        asked = readArguments(argv);
        checkout = readCheckout();
        if (asked.since !== undefined && checkout.changedSince(asked.since) === undefined)
            throw new Error(`--since ${asked.since}: no such commit is in this clone`);
    } catch (error) {
        console.error(`error: ${(error as Error).message}`);
        return 2;
    }
    const began = Date.now();
    const leftOut = new Map(asked.leftOut.map(({ name, title }) => [`level ${name}`, title]));
    // A level of which nothing runs needs no cloud. Titles choose tests, not commands.
    const hasWork = (level: Level) =>
        (level.command !== undefined && asked.grep === undefined) ||
        chosenRuns(level, { ...asked, checkout }, leftOut).length > 0;
    const chosen = asked.levels.filter(hasWork);
    if (asked.since !== undefined && chosen.length === 0) {
        console.log(`No story of these levels has changed since ${asked.since}.`);
        return 0;
    }
    if (asked.list) {
        const files = chosen.flatMap(level =>
            chosenRuns(level, { ...asked, full: true, checkout }).flatMap(run => run.files),
        );
        const isPart = asked.since !== undefined || process.argv.slice(2).some(word => !/^(--list|full)$/.test(word));
        console.log(listOfStories(checkout.passed, isPart ? files : undefined));
        return 0;
    }
    stopOnSignals();
    const ahead = makeAhead(neededBy(chosen, asked.full));
    const results: LevelResult[] = [];
    for (const level of chosen) {
        if (stopSignal.aborted) break;
        results.push(await runTimed(level, { ...asked, checkout }));
    }
    // With a part of a story, such as one sequence of random ones, the story has not passed.
    const isWhole = asked.grep === undefined && process.env["NFV_SEED"] === undefined;
    const passed = isWhole ? storiesThatPassed(results, filesOfStory) : [];
    if (passed.length > 0) console.log(`\n${noteOf(passed, checkout.commit)}`);
    if (stopSignal.aborted) console.log("\nStopped before its end.");
    printEnd(results, Math.round((Date.now() - began) / 1000), ahead.seconds(), leftOut, asked);
    const failed = stopSignal.aborted || results.some(({ summary }) => summary.failed > 0);
    return failed || results.every(({ summary }) => summary.passed === 0) ? 1 : 0;
}

function noteOf(stories: readonly string[], commit: string | undefined): string {
    if (notePassed(stories, commit)) return `Passed, and noted in test/passed.json (commit it): ${stories.join(", ")}`;
    const why = "the checkout has changes that are not committed, or is no clone, or its commit changed meanwhile";
    return `Stories that passed are not noted: ${why}.`;
}

const filesOfStory = (story: string) => compiledTests(projectRoot, "").filter(file => storyOf(file) === story);

function printEnd(
    results: readonly LevelResult[],
    seconds: number,
    setUpSeconds: number,
    leftOut: ReadonlyMap<string, string>,
    { full, grep }: TestRun,
): void {
    const total = nothingRan();
    for (const { name, summary } of results)
        addTo(total, { ...summary, failures: summary.failures.map(title => `${name}: ${title}`) });
    const block = (title: string, lines: string[]) =>
        lines.length > 0 && console.log(`\n${title}\n${lines.join("\n")}`);
    block("Did not run (npm test -- full NAME runs one):", leftOutLines(leftOut));
    block("Skipped:", skipLines(total.skips));
    block("Slowest test files:", slowestFiles(results));
    block("Seconds:", timesOf(results, { seconds, setUpSeconds, full }));
    block(
        "Failed:",
        total.failures.map(title => `  ${title}`),
    );
    console.log(`\n${totalOf(total, grep)}`);
}

const isRoot = process.getuid?.() === 0;

/** The set-ups of these levels, each once, in the order in which the levels need them. Nodes of the lab are for root only. */
function neededBy(chosen: readonly Level[], full: boolean): SetUpName[] {
    const of = ({ setUp = [], fullSetUp = [] }: Level) => [...setUp, ...(full ? fullSetUp : [])];
    const names = [...new Set(chosen.flatMap(of))];
    return names.filter(name => isRoot || !["lab", "nfs", "cloud"].includes(name));
}

/** Runs one level. A level that breaks off counts as a failed test, and the next one runs. */
async function runTimed(level: Level, mocha: Mocha): Promise<LevelResult> {
    const started = Date.now();
    say(`\n━━ ${level.name}: ${level.title}`);
    const summary = await runLevel(level, mocha).catch(error => {
        console.error(error);
        return failedFor(`broke off: ${error instanceof Error ? error.message : String(error)}`);
    });
    const seconds = Math.round((Date.now() - started) / 1000);
    const { passed, failed, skipped } = summary;
    say(`━━ ${level.name}: ${passed} passed, ${failed} failed, ${skipped} skipped, in ${seconds} s`);
    return { name: level.name, summary, seconds, budgetSeconds: level.budgetMinutes * 60 };
}

async function runLevel(level: Level, mocha: Mocha): Promise<Summary> {
    if (level.needsRoot && !isRoot) return skipped(level, "needs root: lab nodes are namespaces and mounts");
    try {
        return await withSetUp(neededBy([level], mocha.full), async () => {
            if (level.command) return runCommands(level.command);
            if (level.inMemory)
                return withMemoryFolder(folder => runMocha(level, { ...mocha, env: folder ? { TMPDIR: folder } : {} }));
            if (level.name !== "node24") return runMocha(level, mocha);
            const environment = await node24Environment();
            if (environment.missing) return skipped(level, environment.missing);
            return runMocha(level, { ...mocha, ...environment });
        });
    } catch (error) {
        if (!(error instanceof SetUpFailed)) throw error;
        say(`  ✘ ${error.message}`);
        return failedFor(`${error.message}; no test of this level ran`);
    }
}

const failedFor = (reason: string): Summary => ({ ...nothingRan(), failed: 1, failures: [reason] });

function skipped(level: Level, reason: string): Summary {
    say(`  - ${level.name} skipped: ${reason}`);
    return { ...nothingRan(), skipped: 1, skips: { [reason]: 1 } };
}

async function runCommands(commands: NonNullable<Level["command"]>): Promise<Summary> {
    const summary = nothingRan();
    for (const { title, argv } of commands) {
        const code = await run(argv, process.env);
        say(`  ${code === 0 ? "✔" : "✘"} ${title}`);
        if (code === 0) summary.passed++;
        else addTo(summary, failedFor(title));
    }
    return summary;
}

main(process.argv.slice(2)).then(
    code => process.exit(code),
    error => {
        console.error(error);
        process.exit(1);
    },
);

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { chooseFiles, readArguments, type TestRun } from "./arguments";
import { columnsOf, type Level, mochaRuns, projectRoot } from "./levels";
import { withMemoryFolder } from "./memory-folder";
import { node24Environment } from "./node24";
import { inColumn, isInColumn, say } from "./progress";
import { pathOfPython } from "./python-path";
import type { Summary } from "./reporter";
import { SetUpFailed, withSetUp } from "./set-up";
import { addSkips, skipLines } from "./skips";

/** `npm test [-- full] [level…] [--grep text]`: runs the levels and ends with one line that adds them up. */
async function main(argv: string[]): Promise<number> {
    let asked: ReturnType<typeof readArguments>;
    try {
        asked = readArguments(argv);
    } catch (error) {
        console.error(`error: ${(error as Error).message}`);
        return 2;
    }
    const leftToFull = asked.leftOut.map(({ name, title }) => `level ${name}: ${title}`);
    const tooLong: string[] = [];
    const total = nothingRan();
    const columns = columnsOf(asked.levels);
    const runColumn = async (column: Level[]) => {
        for (const level of column) {
            // A level that breaks off must not end the process under the other column, whose nodes and cloud would stay.
            const run = () => runTimed(level, asked, leftToFull).catch(brokeOff);
            const { summary, seconds } = await (columns.length > 1 ? inColumn(level.name, run) : run());
            addTo(total, { ...summary, failures: summary.failures.map(title => `${level.name}: ${title}`) });
            const budget = level.budgetMinutes * 60;
            if (!asked.full && seconds > budget)
                tooLong.push(`  ${level.name}: ${seconds} s, its budget is ${budget} s`);
        }
    };
    await Promise.all(columns.map(runColumn));
    if (leftToFull.length) {
        console.log(
            `\nLong stories that only \`npm test -- full\` runs:\n${leftToFull.map(file => `  ${file}`).join("\n")}`,
        );
    }
    if (tooLong.length) console.log(`\nOver budget (test/README.md):\n${tooLong.join("\n")}`);
    if (total.skipped) console.log(`\n${skipLines(total.skips).join("\n")}`);
    if (total.failures.length) console.log(`\nFailed:\n${total.failures.map(title => `  ${title}`).join("\n")}`);
    console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
    return total.failed > 0 || total.passed === 0 ? 1 : 0;
}

function brokeOff(error: unknown) {
    console.error(error);
    const said = error instanceof Error ? error.message : String(error);
    return { summary: { ...nothingRan(), failed: 1, failures: [`broke off: ${said}`] }, seconds: 0 };
}

async function runTimed(level: Level, asked: TestRun, leftToFull: string[]) {
    const started = Date.now();
    say(`\n━━ ${level.name}: ${level.title}`);
    const summary = await runLevel(level, asked, leftToFull);
    const seconds = Math.round((Date.now() - started) / 1000);
    const { passed, failed, skipped } = summary;
    say(`━━ ${level.name}: ${passed} passed, ${failed} failed, ${skipped} skipped, in ${seconds} s`);
    return { summary, seconds };
}

async function runLevel(level: Level, asked: TestRun, leftToFull: string[]): Promise<Summary> {
    const isRoot = process.getuid?.() === 0;
    if (level.needsRoot && !isRoot) return skipped(level, "needs root: lab nodes are namespaces and mounts");
    const setUp = (level.setUp ?? []).filter(name => isRoot || !["lab", "nfs"].includes(name));
    try {
        return await withSetUp(setUp, async () => {
            if (level.command) return runCommands(level.command);
            if (level.inMemory) return runInMemory(level, asked, leftToFull);
            if (level.name !== "node24") return runMocha(level, asked, leftToFull);
            const environment = await node24Environment();
            if (environment.missing) return skipped(level, environment.missing);
            return runMocha(level, asked, leftToFull, environment);
        });
    } catch (error) {
        if (!(error instanceof SetUpFailed)) throw error;
        say(`  ✘ ${error.message}`);
        return { ...nothingRan(), failed: 1, failures: [`${error.message}; no test of this level ran`] };
    }
}

function runInMemory(level: Level, asked: TestRun, leftToFull: string[]): Promise<Summary> {
    return withMemoryFolder(folder => runMocha(level, asked, leftToFull, { env: folder ? { TMPDIR: folder } : {} }));
}

function skipped(level: Level, reason: string): Summary {
    say(`  - ${level.name} skipped: ${reason}`);
    return { ...nothingRan(), skipped: 1, skips: { [`the level ${level.name} ${reason}`]: 1 } };
}

const nothingRan = (): Summary => ({ passed: 0, failed: 0, skipped: 0, skips: {}, failures: [] });

function addTo(total: Summary, { passed, failed, skipped, skips, failures }: Summary): void {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    addSkips(total.skips, skips);
    total.failures.push(...failures);
}

async function runCommands(commands: NonNullable<Level["command"]>): Promise<Summary> {
    const summary = nothingRan();
    for (const { title, argv } of commands) {
        const code = await run(argv, process.env);
        say(`  ${code === 0 ? "✔" : "✘"} ${title}`);
        if (code === 0) summary.passed++;
        else {
            summary.failed++;
            summary.failures.push(title);
        }
    }
    return summary;
}

interface Mocha {
    node: string;
    root: string;
    env: NodeJS.ProcessEnv;
    grep?: string;
}

async function runMocha(
    level: Level,
    { full, grep }: TestRun,
    leftToFull: string[],
    environment?: Partial<Omit<Mocha, "grep">>,
): Promise<Summary> {
    const root = environment?.root ?? projectRoot;
    const mocha = { node: process.execPath, root, env: {}, ...environment, grep };
    const total = nothingRan();
    for (const { files, jobs } of mochaRuns(level, folder => compiledTests(root, folder))) {
        const { run: chosen, onlyFull } = chooseFiles(files, full);
        leftToFull.push(...onlyFull.map(file => path.relative(path.join(root, "dist"), file).replace(/js$/, "ts")));
        if (chosen.length) addTo(total, await runFiles(mocha, chosen, jobs));
    }
    return total;
}

async function runFiles({ node, root, env, grep }: Mocha, files: string[], jobs: number): Promise<Summary> {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "nfv-test-")), "summary.json");
    const code = await run(
        [
            node,
            path.join(root, "node_modules", "mocha", "bin", "mocha.js"),
            "--no-config",
            "--exit",
            "--timeout=30000",
            ...(jobs > 1
                ? ["--parallel", `--jobs=${jobs}`, `--require=${path.join(root, "dist/dev/long-tests.js")}`]
                : []),
            `--reporter=${path.join(root, "dist", "dev", "reporter.js")}`,
            ...(grep ? ["--grep", grep] : []),
            ...files,
        ],
        { ...process.env, PATH: pathOfPython(), ...env, NFV_SUMMARY: file },
        root,
    );
    try {
        return JSON.parse(fs.readFileSync(file, "utf8")) as Summary;
    } catch {
        return { ...nothingRan(), failed: 1, failures: [`the test process ended with ${code} before its summary`] };
    } finally {
        fs.rmSync(path.dirname(file), { recursive: true, force: true });
    }
}

/** The compiler does not delete the output of a deleted source, so a compiled test counts only while its source exists. */
function compiledTests(root: string, folder: string): string[] {
    const compiled = path.join(root, "dist", "test", folder);
    if (!fs.existsSync(compiled)) return [];
    return (fs.readdirSync(compiled, { recursive: true }) as string[])
        .filter(name => name.endsWith(".test.js"))
        .filter(name => fs.existsSync(path.join(root, "test", folder, name.replace(/js$/, "ts"))))
        .sort()
        .map(name => path.join(compiled, name));
}

function run(argv: string[], env: NodeJS.ProcessEnv, cwd = projectRoot): Promise<number> {
    return new Promise(resolve => {
        const output = isInColumn() ? "pipe" : "inherit";
        const child = spawn(argv[0]!, argv.slice(1), { cwd, env, stdio: ["ignore", output, output] });
        for (const stream of [child.stdout, child.stderr]) {
            if (stream) createInterface({ input: stream }).on("line", say);
        }
        child.on("error", error => {
            console.error(`error: ${argv[0]}: ${error.message}`);
            resolve(127);
        });
        child.on("close", code => resolve(code ?? 1));
        // A process that was left behind keeps the pipe open.
        child.on("exit", code => setTimeout(() => resolve(code ?? 1), 5000).unref());
    });
}

main(process.argv.slice(2)).then(
    code => process.exit(code),
    error => {
        console.error(error);
        process.exit(1);
    },
);

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Checkout, type Choice, chooseFiles } from "./choose-files";
import { type Level, mochaRuns, projectRoot } from "./levels";
import { pathOfPython } from "./python-path";
import { run } from "./run";
import { addTo, nothingRan, type Summary } from "./summary";

export interface Mocha extends Choice {
    checkout: Checkout;
    grep?: string;
    /** @default this process's Node.js */
    node?: string;
    /** The folder with dist/ and node_modules. @default this project */
    root?: string;
    env?: NodeJS.ProcessEnv;
}

/** Runs the chosen test files of a level. */
export async function runMocha(level: Level, mocha: Mocha): Promise<Summary> {
    const total = nothingRan();
    for (const { files, jobs } of chosenRuns(level, mocha)) addTo(total, await runFiles(mocha, files, jobs));
    return total;
}

/** The mocha processes of a level, with the files that are chosen. `leftOut` gets the stories that do not run, with the reason. */
export function chosenRuns(
    level: Level,
    mocha: Mocha,
    leftOut = new Map<string, string>(),
): { files: string[]; jobs: number }[] {
    const runs = mochaRuns(level, folder => compiledTests(mocha.root ?? projectRoot, folder)).map(({ files, jobs }) => {
        const chosen = chooseFiles(files, mocha, mocha.checkout);
        for (const [name, reason] of chosen.leftOut) leftOut.set(name, reason);
        return { files: chosen.run, jobs };
    });
    return runs.filter(({ files }) => files.length > 0);
}

const below = (root: string) => path.join(root, "dist", "test");

async function runFiles(mocha: Mocha, files: string[], jobs: number): Promise<Summary> {
    const { node = process.execPath, root = projectRoot, env = {}, grep } = mocha;
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "nfv-test-")), "summary.json");
    const code = await run(
        [
            node,
            path.join(root, "node_modules", "mocha", "bin", "mocha.js"),
            "--no-config",
            "--exit",
            "--forbid-only",
            "--timeout=300000",
            ...["ends-with-parent", "ends-programs", "strict-tests"].map(
                name => `--require=${path.join(root, "dist/dev", `${name}.js`)}`,
            ),
            ...(jobs > 1
                ? ["--parallel", `--jobs=${jobs}`, `--require=${path.join(root, "dist/dev/long-tests.js")}`]
                : []),
            `--reporter=${path.join(root, "dist", "dev", "reporter.js")}`,
            ...(grep ? ["--grep", grep] : []),
            ...files.map(name => path.join(below(root), name)),
        ],
        { ...process.env, PATH: pathOfPython(), ...env, NFV_SUMMARY: file },
        root,
    );
    try {
        const summary = JSON.parse(fs.readFileSync(file, "utf8")) as Summary;
        const relative = (name: string) => path.relative(below(root), name);
        // An error after the last test, or a hook's own exit code.
        if (code !== 0 && summary.failed === 0)
            addTo(summary, {
                ...nothingRan(),
                failed: 1,
                failures: [`no test failed, but their process ended with ${code}`],
            });
        return {
            ...summary,
            passedFiles: summary.passedFiles.map(relative),
            notPassedFiles: summary.notPassedFiles.map(relative),
            fileSeconds: summary.fileSeconds.map(([name, seconds]) => [relative(name), seconds]),
        };
    } catch {
        return { ...nothingRan(), failed: 1, failures: [`the test process ended with ${code} before its summary`] };
    } finally {
        fs.rmSync(path.dirname(file), { recursive: true, force: true });
    }
}

/**
 * The compiled test files of a folder of test/, as paths below it. The compiler does not delete the output of a deleted source, so the sources
 * count. @throws if one is not compiled
 */
export function compiledTests(root: string, folder: string): string[] {
    const testsIn = (place: string, ending: string) =>
        fs.existsSync(place)
            ? (fs.readdirSync(place, { recursive: true }) as string[]).filter(name => name.endsWith(ending))
            : [];
    const compiled = new Set(testsIn(path.join(below(root), folder), ".test.js"));
    const wanted = testsIn(path.join(root, "test", folder), ".test.ts").map(name => name.replace(/ts$/, "js"));
    const missing = wanted.filter(name => !compiled.has(name));
    if (missing.length > 0)
        throw new Error(`not compiled: test/${path.join(folder, missing[0]!)}. Delete dist/ and run npm test again`);
    return wanted.sort().map(name => path.join(folder, name));
}

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Level, levels, projectRoot } from "./levels";
import { node24Environment } from "./node24";
import type { Summary } from "./reporter";

/** `npm test [-- level…] [--grep text]`: runs the levels, ends with one line that adds them up. */
async function main(argv: string[]): Promise<number> {
    const grep = argv.includes("--grep") ? argv[argv.indexOf("--grep") + 1] : undefined;
    const names = argv.filter((argument, i) => argument !== "--grep" && argv[i - 1] !== "--grep");
    const unknown = names.filter(name => !levels.some(level => level.name === name));
    if (unknown.length) {
        console.error(`error: no test level "${unknown[0]}"; there are: ${levels.map(l => l.name).join(", ")}`);
        return 2;
    }
    const chosen = names.length ? levels.filter(l => names.includes(l.name)) : levels.filter(l => !l.onRequest);
    const total: Summary = { passed: 0, failed: 0, skipped: 0, failures: [] };
    for (const level of chosen) {
        const started = Date.now();
        console.log(`\n━━ ${level.name}: ${level.title}`);
        const summary = await runLevel(level, grep);
        total.passed += summary.passed;
        total.failed += summary.failed;
        total.skipped += summary.skipped;
        total.failures.push(...summary.failures.map(title => `${level.name}: ${title}`));
        const seconds = ((Date.now() - started) / 1000).toFixed(0);
        console.log(
            `━━ ${level.name}: ${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped, in ${seconds} s`,
        );
    }
    if (total.failures.length) console.log(`\nFailed:\n${total.failures.map(title => `  ${title}`).join("\n")}`);
    console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
    return total.failed > 0 || total.passed === 0 ? 1 : 0;
}

async function runLevel(level: Level, grep?: string): Promise<Summary> {
    if (level.needsRoot && process.getuid?.() !== 0)
        return skipped(level, "needs root: lab nodes are namespaces and mounts");
    if (level.command) return runCommands(level.command);
    if (level.name === "node24") {
        const environment = await node24Environment();
        return environment.missing ? skipped(level, environment.missing) : runMocha(level, grep, environment);
    }
    return runMocha(level, grep);
}

function skipped(level: Level, reason: string): Summary {
    console.log(`  - ${level.name} skipped: ${reason}`);
    return { passed: 0, failed: 0, skipped: 1, failures: [] };
}

async function runCommands(commands: NonNullable<Level["command"]>): Promise<Summary> {
    const summary: Summary = { passed: 0, failed: 0, skipped: 0, failures: [] };
    for (const { title, argv } of commands) {
        const code = await run(argv, process.env);
        console.log(`  ${code === 0 ? "✔" : "✘"} ${title}`);
        if (code === 0) summary.passed++;
        else {
            summary.failed++;
            summary.failures.push(title);
        }
    }
    return summary;
}

async function runMocha(
    level: Level,
    grep?: string,
    environment?: { node: string; root: string; env: NodeJS.ProcessEnv },
): Promise<Summary> {
    const root = environment?.root ?? projectRoot;
    const files = level.folders!.flatMap(folder => compiledTests(root, folder));
    if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, failures: [] };
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "nfv-test-")), "summary.json");
    const code = await run(
        [
            environment?.node ?? process.execPath,
            path.join(root, "node_modules", "mocha", "bin", "mocha.js"),
            "--no-config",
            "--exit",
            "--timeout=30000",
            `--reporter=${path.join(root, "dist", "run", "reporter.js")}`,
            ...(grep ? ["--grep", grep] : []),
            ...files,
        ],
        { ...process.env, ...environment?.env, NFV_SUMMARY: file },
        root,
    );
    try {
        return JSON.parse(fs.readFileSync(file, "utf8")) as Summary;
    } catch {
        return {
            passed: 0,
            failed: 1,
            skipped: 0,
            failures: [`the test process ended with ${code} before its summary`],
        };
    } finally {
        fs.rmSync(path.dirname(file), { recursive: true, force: true });
    }
}

/** The compiler leaves what it once made: a test counts only as long as its source is there. */
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
        const child = spawn(argv[0]!, argv.slice(1), { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
        child.on("error", error => {
            console.error(`error: ${argv[0]}: ${error.message}`);
            resolve(127);
        });
        child.on("exit", code => resolve(code ?? 1));
    });
}

main(process.argv.slice(2)).then(
    code => process.exit(code),
    error => {
        console.error(error);
        process.exit(1);
    },
);

import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "../levels";
import { type Mutant, mutantsOf } from "./mutants";
import { type Subject, subjectsFor } from "./subjects";
import type { WorkerMessage } from "./worker";

const help = `npx tsx dev/mutation/main.ts [--every N] [WORDS]
  Makes small mistakes (mutants) in the pure parts and runs their unit tests with each: a mutant that no test notices survives.
  WORDS choose files by their paths; --every N tries only every Nth mutant. Lists the survivors, then a table.`;

interface Result {
    source: string;
    tried: number;
    survivors: Mutant[];
}

async function main(): Promise<void> {
    const options = { every: { type: "string", default: "1" }, help: { type: "boolean", short: "h" } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) return console.log(help);
    const results: Result[] = [];
    for (const subject of subjectsFor(positionals)) {
        const result = await tryMutants(subject, Number(values.every));
        if (result.tried > 0) results.push(result);
        for (const { line, original, text } of result.survivors) {
            console.log(`${subject.source}:${line}: ${shortened(original)} → ${shortened(text)}`);
        }
    }
    console.log("\n| file | mutants | killed | survived | score |\n|---|---|---|---|---|");
    for (const result of [...results, total(results)])
        console.log(row(result.source, result.tried, result.survivors.length));
}

const total = (results: Result[]): Result => ({
    source: "all",
    tried: results.reduce((sum, { tried }) => sum + tried, 0),
    survivors: results.flatMap(({ survivors }) => survivors),
});

function row(source: string, tried: number, survived: number): string {
    const score = tried === 0 ? 100 : ((tried - survived) / tried) * 100;
    return `| ${source} | ${tried} | ${tried - survived} | ${survived} | ${score.toFixed(0)} % |`;
}

const shortened = (text: string) => text.replace(/\s+/g, " ").slice(0, 100);

/** A worker that dies or loops has killed its mutant; another one goes on behind it. */
async function tryMutants({ source, tests }: Subject, every: number): Promise<Result> {
    const mutants = mutantsOf(readFileSync(join(projectRoot, source), "utf8"));
    const result: Result = { source, tried: 0, survivors: [] };
    if (mutants.length === 0) return result;
    let usual = 0;
    for (let next = -1; next < mutants.length; ) {
        const { code, index, answers, cpuSeconds } = await runWorker([source, `${next}`, `${every}`, ...tests], usual);
        const [bare] = next < 0 ? answers.splice(0, 1) : [];
        if (bare) usual = cpuSeconds;
        if (next < 0 && (!bare || bare.killed)) {
            throw new Error(`${source}: its tests fail without a mutant: ${bare?.test ?? "they do not end"}`);
        }
        result.tried += answers.length;
        result.survivors.push(...answers.filter(({ killed }) => !killed).map(({ ended }) => mutants[ended]!));
        if (code === 0) break;
        result.tried++;
        next = index + 1;
    }
    return result;
}

type Answer = Extract<WorkerMessage, { ended: number }>;

interface Work {
    /** The exit code; null: it was killed. */
    code: number | null;
    /** The mutant that was tried last. */
    index: number;
    answers: Answer[];
    /** Until the first answer: start, loading, and one run of the tests. */
    cpuSeconds: number;
}

/** `usual`: CPU seconds that a worker needs until its first answer; 0: not known yet. */
function runWorker(args: string[], usual: number): Promise<Work> {
    const child = fork(join(projectRoot, "dev/mutation/worker.ts"), args, {
        execArgv: ["--require", "tsx/cjs"],
        stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const work: Work = { code: null, index: -1, answers: [], cpuSeconds: 0 };
    let begun = 0;
    child.on("message", (message: WorkerMessage) => {
        if ("begins" in message) {
            work.index = message.begins;
            begun = cpuSecondsOf(child.pid!);
            return;
        }
        if (work.answers.length === 0) work.cpuSeconds = cpuSecondsOf(child.pid!);
        work.answers.push(message);
    });
    const limit = usual === 0 ? 120 : 5 + 3 * usual;
    const watch = setInterval(() => {
        if (cpuSecondsOf(child.pid!) - begun > limit) child.kill("SIGKILL");
    }, 500);
    return new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", code => {
            clearInterval(watch);
            resolve({ ...work, code });
        });
    });
}

/** CPU time that a process has used: on a busy machine the time of day says nothing. 0 if it has ended. */
function cpuSecondsOf(pid: number): number {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
        return 0;
    }
}

main().catch(error => {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
});

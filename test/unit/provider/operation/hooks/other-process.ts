import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../../../../support/user-project";

/** A process of its own that runs our code, and the lines that it prints. */
export interface OtherProcess {
    child: ChildProcess;
    /** The next line of its standard output. */
    line(): Promise<string>;
}

const started: ChildProcess[] = [];

/** Starts Node with this CommonJS text; `require` begins in the repository's root. */
export function otherProcess(code: string, env: NodeJS.ProcessEnv = process.env): OtherProcess {
    const child = spawn(process.execPath, ["-r", "tsx/cjs", "-e", code], {
        cwd: projectRoot,
        env,
        stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(child);
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    return {
        child,
        line: async () => {
            const { value, done } = await lines.next();
            if (done) throw new Error("the process ended without another line");
            return value;
        },
    };
}

/** Ends what the tests of this file have started. */
export async function endOthers(): Promise<void> {
    for (const child of started.splice(0)) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
    }
}

/** Whether a process runs; a zombie does not. */
export function runs(pid: number): boolean {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
    } catch {
        return false;
    }
}

/** @throws if a process runs for longer */
export async function untilGone(pid: number, milliseconds: number): Promise<void> {
    for (const end = Date.now() + milliseconds; runs(pid); await sleep(20))
        if (Date.now() > end) throw new Error(`process ${pid} still runs after ${milliseconds} ms`);
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { NfvError } from "../../../common/errors";
import { sourceFolder } from "../../../shell/script-file";
import type { ScriptInput } from "./data-model";
import type { Lines } from "./lines";

/** What the shim is told. */
export interface Order {
    packageFolder: string;
    newPackageFolder?: string;
    /** Relative to the folder of the package. */
    script: string;
    input: ScriptInput;
    timeoutSeconds?: number;
    /** How many bytes of the script's standard output are kept. */
    outputLimit: number;
}

/** What the shim answers. Data for the next attempt may come from a script that failed, too. */
export interface Answer {
    vnfInstance?: Record<string, unknown>;
    errorHandlingData?: Record<string, unknown>;
    failed?: {
        exitCode?: number;
        signal?: string;
        stopped?: "cancelled" | "timeout";
        /** Why its result is not accepted. */
        refused?: string;
        /** Why the package could not be copied, or Python could not be started. */
        notStarted?: string;
    };
}

export interface ShimOptions {
    python: string;
    /** Get the script's standard error. */
    lines: Lines;
    signal?: AbortSignal;
    /** Name of the hook, for errors. */
    step: string;
}

/** How long the shim may need to end all of a script, more than its own grace. */
const patienceSeconds = 15;
/** A process that a script left behind may keep standard error open. */
const drainMilliseconds = 500;

/** Runs `shim.py` once. The answer to an order that it could not carry out is an error. */
export async function runShim(order: Order, { python, lines, signal, step }: ShimOptions): Promise<Answer> {
    const shim = join(sourceFolder(), "operation/hooks/tacker/shim.py");
    const child = spawn(python, ["-I", shim], {
        env: environmentOfScripts(process.env),
        stdio: ["pipe", "pipe", "pipe"],
        // A session of its own: Ctrl-C, or a kill of our whole process group, must not end it before it has ended the script.
        detached: true,
    });
    const stdout: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => lines.add(chunk));
    child.stdin.on("error", () => {}); // it may end without reading
    // Standard input stays open: its end tells the shim that this process is gone.
    child.stdin.write(`${JSON.stringify(order)}\n`);

    const timers: NodeJS.Timeout[] = [];
    const kill = () => killGroup(child);
    const stop = () => {
        child.kill("SIGTERM");
        timers.push(setTimeout(kill, patienceSeconds * 1000));
    };
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    if (order.timeoutSeconds !== undefined) {
        timers.push(setTimeout(kill, (order.timeoutSeconds + patienceSeconds) * 1000));
    }
    try {
        const end = await ended(child);
        if (end.error !== undefined) throw notStarted(python, step, end.error);
        lines.end();
        return readAnswer(Buffer.concat(stdout).toString(), `${python} ended with ${end.status}`, lines, step);
    } finally {
        for (const timer of timers) clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
    }
}

/** Scripts need PATH, proxies and OS_*. What Pulumi has in its environment, such as passphrases, is none of their business. */
function environmentOfScripts(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("PULUMI_")));
}

interface End {
    status?: string;
    error?: NodeJS.ErrnoException;
}

function ended(child: ChildProcessWithoutNullStreams): Promise<End> {
    return new Promise(resolve => {
        child.on("error", error => resolve({ error }));
        child.on("exit", (code, signal) => {
            const done = () => resolve({ status: signal ?? `exit code ${code}` });
            child.on("close", done);
            setTimeout(done, drainMilliseconds).unref();
        });
    });
}

function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
    try {
        if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
        // it has ended
    }
}

function readAnswer(text: string, end: string, lines: Lines, step: string): Answer {
    try {
        return JSON.parse(text) as Answer;
    } catch {
        throw new NfvError({
            code: "HOOK_FAILED",
            step,
            cause: `${end} without an answer\n${lines.tail(12)}`,
        });
    }
}

function notStarted(python: string, step: string, error: NodeJS.ErrnoException): NfvError {
    return new NfvError({
        code: "TOOL_MISSING",
        step,
        cause: error.code === "ENOENT" ? `there is no program ${python}` : error.message,
        hint: "Scripts of Tacker run with Python 3.7 or newer on the machine that runs Pulumi. Install it, or give the path of a Python interpreter, such as that of a virtual environment with the packages that the script imports.",
    });
}

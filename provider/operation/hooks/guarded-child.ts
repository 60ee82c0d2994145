import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Runs between us and the program, so that the program ends when we do, also by kill -9: then the pipe at file descriptor 3 closes. The program has
 * a process group of its own, and all of that is ended.
 */
const guard = `
const { spawn } = require("node:child_process");
const [program, ...args] = process.argv.slice(1);
const child = spawn(program, args, { detached: true, stdio: [0, 1, 2] });
const end = signal => { try { process.kill(-child.pid, signal); } catch {} };
const lifeline = new (require("node:net").Socket)({ fd: 3 });
lifeline.on("error", () => {});
lifeline.on("close", () => { end("SIGTERM"); setTimeout(() => end("SIGKILL"), 5000); });
lifeline.resume();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
child.on("error", error => { process.stderr.write(error.code + ": " + error.message + "\\n"); process.exit(127); });
child.on("exit", (code, signal) => { end("SIGKILL"); process.exit(code ?? (signal ? 128 : 1)); });
`;

export interface Guarded {
    program: string;
    args?: readonly string[];
    /** Its working folder. */
    cwd: string;
    env: Record<string, string>;
    /** For its standard input. May be secret. */
    input: string;
    /** Called with each line that it prints, on either output. */
    onLine(line: string): void;
    /** When it aborts, the program receives SIGTERM, and 5 seconds later SIGKILL. */
    signal: AbortSignal;
}

/** Runs a program to its end, and returns its exit code. It never outlives this process. */
export async function runGuarded({ program, args = [], cwd, env, input, onLine, signal }: Guarded): Promise<number> {
    const child = spawn(process.execPath, ["-e", guard, program, ...args], {
        cwd,
        env,
        // Ctrl-C in the terminal reaches the whole foreground group: this one is ended by us, in order.
        detached: true,
        stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    const ended = new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", code => resolve(code ?? 1));
    });
    const outputs = [child.stdout!, child.stderr!].map(input => createInterface({ input }));
    child.once("exit", () => {
        const drained = setTimeout(() => {
            // What the program left behind in a session of its own may hold them, without end.
            for (const output of outputs) output.close();
            child.stdout!.destroy();
            child.stderr!.destroy();
        }, drainMilliseconds);
        child.once("close", () => clearTimeout(drained));
    });
    const lifeline = child.stdio[3]!;
    lifeline.on("error", () => {});
    const stop = () => lifeline.destroy();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
        feed(child, input);
        const lines = outputs.map(async output => {
            for await (const line of output) onLine(line);
        });
        const [code] = await Promise.all([ended, ...lines]);
        return code;
    } finally {
        signal.removeEventListener("abort", stop);
        lifeline.destroy();
    }
}

/** What the program has printed itself is read by then. */
const drainMilliseconds = 2000;

/** A program may end without reading its input. */
function feed({ stdin }: ChildProcess, input: string): void {
    stdin!.on("error", () => {});
    stdin!.end(input);
}

import { spawn } from "node:child_process";
import { NfvError } from "../provider/common/errors";

export interface RunOptions {
    cwd?: string;
    /** Added to this process's environment. */
    env?: Record<string, string | undefined>;
    input?: string;
    /** Default: 0 (none). */
    timeoutSeconds?: number;
    /** What was attempted, for the error: "build kubelet". Default: the command. */
    what?: string;
}

export interface RunResult {
    exitCode: number;
    stdout: string;
    stderr: string;
}

/** Runs a program without a shell; any exit code is returned, and 127 if the program cannot be started. */
export function tryRun(argv: string[], options: RunOptions = {}): Promise<RunResult> {
    return new Promise(resolve => {
        const child = spawn(argv[0], argv.slice(1), {
            cwd: options.cwd,
            env: { ...process.env, ...options.env },
            stdio: ["pipe", "pipe", "pipe"],
            timeout: (options.timeoutSeconds ?? 0) * 1000,
        });
        const stdout: Buffer[] = [];
        const stderr: Buffer[] = [];
        child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
        child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
        child.stdin.on("error", () => {}); // the program may end without reading its input
        child.stdin.end(options.input ?? "");
        child.on("error", error => resolve({ exitCode: 127, stdout: "", stderr: error.message }));
        child.on("close", (code, signal) =>
            resolve({
                exitCode: code ?? 128,
                stdout: Buffer.concat(stdout).toString(),
                stderr: Buffer.concat(stderr).toString() + (signal ? `\nended by ${signal}` : ""),
            }),
        );
    });
}

/** Like tryRun; an exit code other than 0 is thrown as an error with the end of the output. Returns standard output. */
export async function run(argv: string[], options: RunOptions = {}): Promise<string> {
    const result = await tryRun(argv, options);
    if (result.exitCode !== 0) {
        const output = `${result.stdout}${result.stderr}`;
        throw new NfvError({
            code: "TOOL_FAILED",
            step: options.what,
            cause: `${argv[0]} ended with ${result.exitCode}: ${tail(output, 12)}`,
            output,
        });
    }
    return result.stdout;
}

/** Whether PATH contains this program. */
export async function hasProgram(name: string): Promise<boolean> {
    return (await tryRun(["sh", "-c", 'command -v "$1"', "sh", name])).exitCode === 0;
}

function tail(text: string, lines: number): string {
    return text.trimEnd().split("\n").slice(-lines).join("\n");
}

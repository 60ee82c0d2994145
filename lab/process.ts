import { spawn } from "node:child_process";

export interface RunOptions {
    stdin?: string;
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    /** Exit codes other than 0 are returned instead of thrown. */
    anyExit?: boolean;
    /** Output goes here line by line as it comes. */
    onLine?: (line: string) => void;
}

export interface RunResult {
    code: number;
    stdout: string;
    stderr: string;
}

export class CommandFailed extends Error {
    constructor(
        argv: readonly string[],
        readonly result: RunResult,
    ) {
        super(
            `${argv.slice(0, 6).join(" ")} ended with ${result.code}\n${(result.stderr || result.stdout).trim().slice(-2000)}`,
        );
        this.name = "CommandFailed";
    }
}

/** Runs a program without a shell and waits until it has ended. */
export function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return new Promise((resolve, reject) => {
        const child = spawn(argv[0]!, argv.slice(1), { cwd: options.cwd, env: options.env, stdio: "pipe" });
        const result: RunResult = { code: 0, stdout: "", stderr: "" };
        const collect = (stream: "stdout" | "stderr") => (chunk: Buffer) => {
            result[stream] += chunk;
            for (const line of options.onLine ? chunk.toString().split("\n").filter(Boolean) : []) {
                options.onLine!(line);
            }
        };
        child.stdout.on("data", collect("stdout"));
        child.stderr.on("data", collect("stderr"));
        child.stdin.on("error", () => {});
        child.stdin.end(options.stdin ?? "");
        child.on("error", reject);
        child.on("close", (code, signal) => {
            result.code = code ?? (signal ? 137 : 1);
            if (result.code !== 0 && !options.anyExit) {
                reject(new CommandFailed(argv, result));
            } else {
                resolve(result);
            }
        });
    });
}

/** Calls `check` every 50 ms; false if it was never true within `seconds`. */
export async function until(seconds: number, check: () => boolean | Promise<boolean>): Promise<boolean> {
    const end = Date.now() + seconds * 1000;
    while (!(await check())) {
        if (Date.now() > end) {
            return false;
        }
        await new Promise(resolve => setTimeout(resolve, 50));
    }
    return true;
}

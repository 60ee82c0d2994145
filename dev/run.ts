import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { projectRoot } from "./levels";
import { isInColumn, say } from "./progress";
import { stopSignal } from "./stop";

/** Runs a command, with its output among ours. Returns the exit code. A run that is to stop ends it. */
export function run(argv: string[], env: NodeJS.ProcessEnv, cwd = projectRoot): Promise<number> {
    return new Promise(resolve => {
        const output = isInColumn() ? "pipe" : "inherit";
        const child = spawn(argv[0]!, argv.slice(1), { cwd, env, stdio: ["ignore", output, output] });
        const end = () => child.kill();
        if (stopSignal.aborted) end();
        stopSignal.addEventListener("abort", end);
        child.once("close", () => stopSignal.removeEventListener("abort", end));
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

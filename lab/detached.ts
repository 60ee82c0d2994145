import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** Starts a program that outlives this process, with its output in `log`. */
export function startDetached(argv: readonly string[], log: string): void {
    const output = openSync(log, "a");
    const child = spawn(argv[0]!, argv.slice(1), { detached: true, stdio: ["ignore", output, output], cwd: "/" });
    child.unref();
    closeSync(output);
}

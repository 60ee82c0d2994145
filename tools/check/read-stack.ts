import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { NfvError } from "../../provider/errors";

export interface StackPlace {
    /** @default the selected one */
    stack?: string | undefined;
    /** File with an export; "-" is standard input. */
    state?: string | undefined;
}

/** The text of the stack's export, with its secrets. It stays in memory. */
export async function readStack({ stack, state }: StackPlace): Promise<string> {
    if (state !== undefined) return readGiven(state);
    const argv = [
        "stack",
        "export",
        "--show-secrets",
        "--non-interactive",
        ...(stack === undefined ? [] : ["--stack", stack]),
    ];
    try {
        const { stdout } = await promisify(execFile)("pulumi", argv, { maxBuffer: 1024 ** 3 });
        return stdout;
    } catch (error) {
        const { code, stderr } = error as { code?: unknown; stderr?: string };
        if (code === "ENOENT")
            throw new NfvError({
                code: "TOOL_MISSING",
                cause: "there is no pulumi on the PATH",
                hint: "Install Pulumi's CLI, or give an export as --state FILE.",
            });
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `pulumi ${argv.join(" ")}: ${(stderr ?? String(error)).trim()}`,
            hint: "Run it in the project's folder, logged in to its backend.",
        });
    }
}

function readGiven(state: string): string {
    try {
        return readFileSync(state === "-" ? 0 : state, "utf8");
    } catch (error) {
        throw new NfvError({ code: "INVALID_INPUT", cause: `--state ${state}: ${(error as Error).message}` });
    }
}

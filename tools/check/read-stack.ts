import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { NfvError } from "../../provider/common/errors";
import { readGivenFile } from "../../provider/common/given-file";
import { findPulumi } from "../pulumi-environment";

export interface StackPlace {
    /** @default the selected one */
    stack?: string | undefined;
    /** The project's folder. @default this one */
    cwd?: string | undefined;
    /** File with an export; "-" is standard input. */
    state?: string | undefined;
}

/** The text of the stack's export, with its secrets. It stays in memory. @throws INVALID_INPUT, TOOL_MISSING */
export async function readStack({ stack, cwd = ".", state }: StackPlace): Promise<string> {
    if (state !== undefined) return readGiven(state);
    // Without this a missing folder looks like a missing program.
    if (!existsSync(cwd)) throw new NfvError({ code: "INVALID_INPUT", cause: `--cwd ${cwd}: there is no such folder` });
    const { pulumi, env } = await findPulumi();
    const argv = ["stack", "export", "--show-secrets", "--non-interactive"];
    if (stack !== undefined) argv.push("--stack", stack);
    try {
        const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1024 ** 3 };
        return (await promisify(execFile)(pulumi, argv, options)).stdout;
    } catch (error) {
        const { stderr } = error as { stderr?: string };
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `pulumi ${argv.join(" ")}: ${(stderr || String(error)).trim()}`,
            hint: "Run it in the project's folder (--cwd), logged in to its backend.",
        });
    }
}

function readGiven(state: string): string {
    if (state === "-") return readFileSync(0, "utf8");
    try {
        return readGivenFile(state);
    } catch (error) {
        throw new NfvError({ code: "INVALID_INPUT", cause: `--state ${(error as Error).message}` });
    }
}

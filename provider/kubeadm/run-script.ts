import { type ErrorCode, NfvError } from "../errors";
import type { Connection } from "../ssh/types";
import { encodeScript } from "../steps/protocol";

export interface ScriptCall {
    /** POSIX sh, run under `set -eu`. */
    script: string;
    /** Not secret. */
    env?: Record<string, string>;
    timeoutSeconds: number;
    node?: string;
    /** For people: "drain". */
    step: string;
    /** Exit codes that mean an error of ours. */
    errors?: Record<number, ErrorCode>;
    /**
     * Once it is aborted nothing new begins. What runs already is waited for: on the node it would go on without us, beside what the next
     * run does there.
     */
    signal?: AbortSignal;
    /** May be left at any moment: a long wait that changes nothing but what the next run does again. */
    leavable?: boolean;
}

/** Runs a short script of ours over a connection and returns its standard output. @throws STEP_FAILED or the code of the table */
export async function runScript(connection: Connection, call: ScriptCall): Promise<string> {
    const { script, env, timeoutSeconds, node, step, errors, signal, leavable } = call;
    signal?.throwIfAborted();
    const stdin = encodeScript({ run: script, env });
    const { code, stdout, stderr } = await connection.exec(["sh", "-s", "pulumi-nfv"], {
        stdin,
        timeoutSeconds,
        ...(leavable && { signal }),
    });
    if (code === 0) return stdout;
    const tail = (stderr.trim() || stdout.trim()).split("\n").slice(-15).join("\n");
    throw new NfvError({
        code: errors?.[code] ?? "STEP_FAILED",
        node,
        step,
        cause: `exit code ${code} on ${connection.target.host}${tail ? `\n${tail}` : ""}`,
        output: stdout + stderr,
    });
}

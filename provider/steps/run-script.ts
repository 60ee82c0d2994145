import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, NfvError } from "../errors";
import type { CommandResult, Connection } from "../ssh/types";
import { aloneScript, notAloneFor } from "./alone";
import { encodeScript } from "./protocol";
import type { ProgressListener } from "./types";

export interface ScriptCall {
    /** POSIX sh, run under `set -eu`. */
    script: string;
    /** Not secret. */
    env?: Record<string, string>;
    timeoutSeconds: number;
    node?: string;
    /** For messages: "drain". */
    step: string;
    /** Exit codes that stand for one of our errors. */
    errors?: Record<number, ErrorCode>;
    /**
     * Once aborted, nothing new starts. A script that is running is awaited: on the node it would continue, beside what
     * the next run does there.
     */
    signal?: AbortSignal;
    /**
     * The run may stop waiting at any moment: for long waits that change nothing, or only what the next run does again.
     */
    leavable?: boolean;
    /**
     * Id under which the script runs alone: it waits for our steps, and for what a killed run left running, and the
     * next run waits for it (steps/alone.ts). For scripts that would destroy another run's work.
     */
    alone?: string;
    /** Called with what it waits for. */
    report?: ProgressListener;
}

/**
 * How long to wait for other work on the machine, in seconds: a lease that is no longer renewed; steps and scripts,
 * which have their own deadlines there.
 */
export const waits = { lease: 45, running: 1200 };

/** Runs a short script and returns its standard output. @throws STEP_FAILED or a code of `errors`, NODE_BUSY */
export async function runScript(connection: Connection, call: ScriptCall): Promise<string> {
    const { node, step, signal, report } = call;
    const began = Date.now();
    for (;;) {
        const result = await runOnce(connection, call);
        const other = call.alone === undefined ? undefined : notAloneFor(result);
        if (other === undefined) return outputOf(result, connection, call);
        const { kind, what } = other;
        const cause =
            kind === "running" ? `${what} is still going on there` : `${what} holds the lease of this machine`;
        if (Date.now() - began >= waits[kind] * 1000) {
            const hint = kind === "running" ? hungHint : undefined;
            throw new NfvError({ code: "NODE_BUSY", node, step, cause, hint });
        }
        report?.(`${step} (${node ?? connection.target.host}): waiting, ${cause}`);
        await sleep(1000, undefined, { signal });
    }
}

export const hungHint =
    "A run that was stopped left it running. If it hangs, restart the machine; then run the same command again.";

function runOnce(connection: Connection, call: ScriptCall): Promise<CommandResult> {
    const { script, env, timeoutSeconds, signal, leavable, alone } = call;
    signal?.throwIfAborted();
    const stdin = encodeScript({ run: alone === undefined ? script : aloneScript(alone, script), env });
    return connection.exec(["sh", "-s", "pulumi-nfv"], {
        stdin,
        timeoutSeconds,
        ...(leavable && { signal }),
    });
}

function outputOf({ code, stdout, stderr }: CommandResult, connection: Connection, call: ScriptCall): string {
    const { node, step, errors } = call;
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

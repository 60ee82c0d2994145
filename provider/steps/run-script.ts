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
    /**
     * Id under which it runs while nothing else of ours works on the machine: steps, or what a killed run left running, are waited for, and
     * the next run waits for it (steps/alone.ts). For what would destroy the work of another run.
     */
    alone?: string;
    /** Hears what is waited for. */
    report?: ProgressListener;
}

/**
 * How long is waited for what else works on the machine, in seconds: a lease that is not renewed; steps and scripts have deadlines of
 * their own there.
 */
export const waits = { lease: 45, running: 1200 };

/** Runs a short script of ours over a connection and returns its standard output. @throws STEP_FAILED or the code of the table, NODE_BUSY */
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

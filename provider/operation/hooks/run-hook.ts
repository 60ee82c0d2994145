import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { NfvError } from "../../common/errors";
import { canonicalJson } from "../../steps";
import type { HookResult } from "./contract";
import type { DueHook } from "./due";
import { etsiName } from "./events";
import { factsFor, type Moment, type RecordedOperation } from "./facts";
import { HookOutput } from "./hook-output";
import { kinds } from "./kinds";
import { HookRecord, recordsVariable } from "./record";
import type { HookTools } from "./tools";
import { whileEngineLives } from "./while-engine-lives";

/** Environment variable: names of hooks that this run leaves out, separated by commas. */
export const skipVariable = "PULUMI_NFV_SKIP_HOOKS";

export interface HookRun {
    due: DueHook;
    /** Without the operation, which `due` has. */
    moment: Omit<Moment, "operation">;
    tools: Omit<HookTools, "printed">;
}

/** Runs one hook to its end, with its retries, and tells how it ended. @throws HOOK_FAILED, or what stopped it */
export async function runHook({ due, moment, tools: given }: HookRun): Promise<void> {
    const { hook, operation } = due;
    const event = etsiName(due.event);
    const began = performance.now();
    let output = new HookOutput(given.redact);
    const tools: HookTools = { ...given, printed: (text, node) => output.add(text, node) };
    const tell = (state: "done" | "failed") => {
        const seconds = Math.round((performance.now() - began) / 1000);
        tools.tell([`hook ${hook.name} (${event}): ${state} (${seconds} s)`, ...output.lines()].join("\n    "));
    };
    if (isSkipped(hook.name)) {
        tools.warn(`hook ${hook.name} (${event}) does not run: ${skipVariable} names it`);
        return;
    }
    const record = recordOf(tools.clusterId, operation, hook.name);
    // The start is asked again, because nothing has changed since: it may be a guard. An end has done its part.
    if (moment.moment === "end" && record.hasSucceeded(event)) {
        tools.note(`${event}: not run again, as it had ended well when the run was ended`);
        return;
    }
    await refuseSecond(record, event, hook.name, tools);
    for (let retriesLeft = hook.retries; ; retriesLeft--) {
        if (tools.signal.aborted) throw asFailure(tools.signal.reason, due, tools);
        output = new HookOutput(given.redact);
        const attempt = recording(tools, () => record.begin(event)) ?? {
            attempt: 1,
            interrupted: false,
            errorHandlingData: {},
        };
        if (attempt.interrupted)
            tools.warn(
                `hook ${hook.name} (${event}) runs again: the run of its attempt ${attempt.attempt - 1} was ended`,
            );
        const facts = factsFor(hook, { ...moment, operation }, attempt);
        const leave = (data: Record<string, unknown>) => recording(tools, () => record.leave(data));
        try {
            await withDeadline(due, tools, async within => {
                try {
                    const { errorHandlingData = {} } = await kinds[hook.kind].run(hook, facts, leave, within);
                    leave(errorHandlingData);
                } catch (error) {
                    // Told to end, it fails in the words of whoever told it: what it leaves would be lost.
                    leave((error as HookResult | undefined | null)?.errorHandlingData ?? {});
                    throw error;
                }
            });
            recording(tools, () => record.succeed(event));
            tell("done");
            return;
        } catch (error) {
            recording(tools, () => record.fail(event));
            const failure = asFailure(error, due, tools);
            // A module that was late may still be at work in this process: no second one beside it.
            const mayLive = hook.kind === "module" && error instanceof LateHook;
            if (tools.signal.aborted) throw failure;
            if (retriesLeft <= 0 || mayLive) {
                tell("failed");
                throw failure;
            }
            tools.warn(`hook ${hook.name} (${event}) failed and runs again: ${failure.reason}`);
        }
    }
}

/** A hook did not end in time. */
class LateHook extends NfvError {}

/** What tells an operation from another one with its number. */
export function markOf({ kind, direction, added, removed, replaced, changed, reasons }: RecordedOperation): string {
    return canonicalJson({ kind, direction, added, removed, replaced, changed, reasons });
}

/** What this machine knows of a hook in an operation. */
export function recordOf(clusterId: string, operation: RecordedOperation, hook: string): HookRecord {
    return new HookRecord(clusterId, operation.id, hook, undefined, markOf(operation));
}

/** Whether this run leaves the hook out. */
export function isSkipped(name: string): boolean {
    return skippedNames().includes(name);
}

/** The names of hooks that this run leaves out, as the user gives them. */
export function skippedNames(): string[] {
    return (process.env[skipVariable] ?? "")
        .split(",")
        .map(each => each.trim())
        .filter(each => each !== "");
}

/** In seconds: how long a hook of a killed run has, whose process is about to end. Tests set less. */
export const hookPatience = { earlier: 15 };

/** A killed run's hook may still be running, for example in an engine's process that lives on. */
async function refuseSecond(record: HookRecord, event: string, hook: string, { signal, report }: HookTools) {
    const until = performance.now() + hookPatience.earlier * 1000;
    let running = record.running(event);
    while (running !== undefined && !signal.aborted && performance.now() < until) {
        report(`wait for the end of hook ${hook} of an earlier run`);
        await sleep(200, undefined, { signal }).catch(() => {});
        running = record.running(event);
    }
    if (running === undefined || signal.aborted) return;
    throw new NfvError({
        code: "HOOK_FAILED",
        step: `hook ${hook}`,
        cause: `the process ${running.pid} of an earlier run still runs it`,
        hint: `Wait for its end, or end it: kill ${running.pid}. Then run pulumi up again.`,
    });
}

/** A disk that is full must not stop an operation: only what the next attempt is told is lost. */
function recording<T>({ warn }: HookTools, work: () => T): T | undefined {
    try {
        return work();
    } catch (error) {
        warn(
            `what the next attempt of a hook is told cannot be written: ${(error as Error).message}; ${recordsVariable} names another folder`,
        );
        return undefined;
    }
}

async function withDeadline<T>(
    { hook }: DueHook,
    tools: HookTools,
    work: (tools: HookTools) => Promise<T>,
): Promise<T> {
    const own = new AbortController();
    const stop = () => own.abort(tools.signal.reason);
    tools.signal.addEventListener("abort", stop, { once: true });
    const late = new LateHook({
        code: "HOOK_FAILED",
        cause: `it did not end within ${hook.timeoutSeconds} s`,
        hint: "Give the hook a longer timeoutSeconds, or find out what it waits for. Then run pulumi up again: it runs again.",
    });
    const timer = setTimeout(() => own.abort(late), hook.timeoutSeconds * 1000);
    const aborted = new Promise<never>((_, reject) => {
        // A moment for the hook to end by itself: what it leaves then is kept.
        own.signal.addEventListener("abort", () => setTimeout(() => reject(own.signal.reason), graceMilliseconds), {
            once: true,
        });
    });
    aborted.catch(() => {});
    try {
        const result = await whileEngineLives(tools.engine, () =>
            Promise.race([work({ ...tools, signal: own.signal }), aborted]),
        );
        // One that was told to end and returns has not done its work.
        own.signal.throwIfAborted();
        return result;
    } catch (error) {
        // What a hook throws when it is told to end says less than why.
        throw own.signal.aborted ? own.signal.reason : error;
    } finally {
        clearTimeout(timer);
        tools.signal.removeEventListener("abort", stop);
    }
}

/** Longer than the time that a script gets between SIGTERM and SIGKILL. */
const graceMilliseconds = 7000;

function asFailure(error: unknown, { hook, event }: DueHook, { redact }: HookTools): NfvError {
    const step = `hook ${hook.name}: ${etsiName(event)}`;
    if (error instanceof NfvError) {
        const { code, node, reason, hint } = error;
        return new NfvError({ code, node, step, cause: redact(reason), hint });
    }
    const cause =
        error instanceof Error
            ? [error.message, ...placesIn(String(error.stack))].join("\n")
            : `it threw ${typeof error === "string" ? error : inspect(error)}`;
    return new NfvError({ code: "HOOK_FAILED", step, cause: redact(cause) });
}

/** The lines of a stack trace that lie in the user's module. */
function placesIn(stack: string): string[] {
    return stack
        .split("\n")
        .filter(line => /^\s+at /.test(line) && !/node:internal|[\\/]pulumi-nfv[\\/]/.test(line))
        .slice(0, 3)
        .map(line => line.trim());
}

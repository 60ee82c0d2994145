import { type ErrorCode, errorCodes, NfvError } from "../../provider/common/errors";
import { hintHere } from "../events/clean-text";
import type { ErrorEvent, PipelineEvent } from "../events/events";
import type { Order } from "../plan/order";
import type { Plan } from "../plan/plan";
import { describeLocks, type Holder, isAbandoned, type StackLock } from "../stack/stack-lock";

/** The error of a run that Pulumi ended: its first error with a code, else its first one, else the end of what it printed. Pure. */
export function failureOf(events: readonly PipelineEvent[], printed: string): NfvError {
    const errors = events.filter((event): event is ErrorEvent => event.type === "error");
    const first = errors.find(({ code }) => code !== undefined) ?? errors[0];
    if (first === undefined) return ofPulumi(printed);
    const rest = errors.filter(error => error !== first).map(inShort);
    const others =
        rest.length > 0 ? `\n${rest.length} more ${rest.length > 1 ? "errors" : "error"}: ${shortList(rest)}` : "";
    return new NfvError({
        code: isCode(first.code) ? first.code : "RUN_FAILED",
        cause: `${first.text}${others}`,
        ...(first.node !== undefined && { node: first.node }),
        ...(first.step !== undefined && { step: first.step }),
        ...hintOf(first),
    });
}

function hintOf({ code, text, hint }: ErrorEvent): { hint?: string } {
    if (code === undefined && processEnded.test(text)) return { hint: whyProcessEnded };
    return hint === undefined ? {} : { hint };
}

/** Pulumi's words where the process of a resource has gone. */
const processEnded = /error reading from server: EOF|transport is closing|connection error: .*127\.0\.0\.1/;
const whyProcessEnded =
    "The process that makes the resources has ended, perhaps killed for want of memory (dmesg). Run the same command again: it goes on from where it was.";

/** "w2: CONNECT_FAILED" */
function inShort({ node, code, text }: ErrorEvent): string {
    return [node, code ?? text.split("\n")[0]].filter(Boolean).join(": ");
}

function shortList(all: readonly string[], most = 10): string {
    return all.length > most ? `${all.slice(0, most).join("; ")} …` : all.join("; ");
}

function isCode(code: string | undefined): code is ErrorCode {
    return code !== undefined && Object.hasOwn(errorCodes, code);
}

/** The Automation API's words about a Pulumi that did not end by itself. */
export const wasKilled = /\bCommand was killed with (SIG\w+)/;

/** What Pulumi itself refuses, by its words. */
const refusals: { words: RegExp; code: ErrorCode; hint: string }[] = [
    {
        words: wasKilled,
        code: "RUN_FAILED",
        hint: "Pulumi was killed, perhaps for want of memory (dmesg), and left the stack's lock. Run the same command again with --take-over (takeOver): it goes on from where it was.",
    },
    {
        words: /failed to load checkpoint/,
        code: "RUN_FAILED",
        hint: "A run was killed while Pulumi wrote the state: copy .pulumi/stacks/PROJECT/STACK.json.bak of the backend over STACK.json, then run again.",
    },
    {
        words: /incorrect passphrase|passphrase must be set/,
        code: "INVALID_INPUT",
        hint: "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase with which the stack was made. Nothing was changed.",
    },
];

function ofPulumi(printed: string): NfvError {
    const { code = "RUN_FAILED" as const, hint } = refusals.find(({ words }) => words.test(printed)) ?? {};
    const [, signal] = wasKilled.exec(printed) ?? [];
    const cause = signal === undefined ? endOf(printed) : `Pulumi was killed (${signal})`;
    return new NfvError({ code, cause, ...(hint !== undefined && { hint }) });
}

/** What Pulumi calls an error, each once; otherwise the last lines. */
function endOf(printed: string): string {
    const lines = printed.split("\n").filter(line => line.trim() !== "");
    const errors = [...new Set(lines.filter(line => /^\s*error: /.test(line)).map(line => line.trim()))];
    return (errors.length > 0 ? errors : lines).slice(-12).join("\n") || "Pulumi ended without a word";
}

const refusing = new Set<string | undefined>([
    "GUARD_REFUSED",
    "PLAN_CHANGED",
    "STACK_LOCKED",
    "RUN_ABANDONED",
] satisfies ErrorCode[]);

/**
 * How a run ended that did not come to its end. `stopped`: somebody stopped it, and nothing else went wrong. `refused`: it changed nothing, because a guard, another plan
 * or another run was in its way. `hasActed`: Pulumi's `up` or `destroy` has begun. Pure.
 */
export function unfinishedHow(
    errors: readonly Pick<ErrorEvent, "code">[],
    hasActed: boolean,
): "stopped" | "refused" | "failed" {
    const all = (is: (code: string | undefined) => boolean) =>
        errors.length > 0 && errors.every(({ code }) => is(code));
    if (all(code => code === "CANCELLED")) return "stopped";
    return !hasActed && all(code => refusing.has(code)) ? "refused" : "failed";
}

export function cancelled(signal: AbortSignal): NfvError {
    if (signal.reason instanceof NfvError) return signal.reason;
    return new NfvError({ code: "CANCELLED", cause: "the run was stopped" });
}

/** The same with what was under way, by the events of the run. */
export function stopped(events: readonly PipelineEvent[], signal: AbortSignal): NfvError {
    const { reason, hint } = cancelled(signal);
    const cut = events.flatMap(event =>
        event.type === "error" && event.code === "CANCELLED" && event.node !== undefined
            ? [[event.node, event.step].filter(Boolean).join(": ")]
            : [],
    );
    const underWay = cut.length > 0 ? `; under way: ${shortList([...new Set(cut)])}` : "";
    return new NfvError({ code: "CANCELLED", cause: `${reason}${underWay}`, hint });
}

/** `stack`: its name. `holders`: of each lock. Pure. */
export function lockedError(stack: string, locks: readonly StackLock[], holders: readonly Holder[]): NfvError {
    const who = describeLocks(locks) || "another run";
    if (isAbandoned(locks, holders))
        return new NfvError({ code: "RUN_ABANDONED", cause: `a run was killed and left the lock of ${stack}: ${who}` });
    return new NfvError({ code: "STACK_LOCKED", cause: `${stack} is held by ${who}` });
}

export function guardError({ hash }: Plan, reasons: readonly string[], { name }: Order, hint?: string): NfvError {
    return new NfvError({
        code: "GUARD_REFUSED",
        cause: [`${name}, plan ${hash}:`, ...reasons].join("\n"),
        ...(hint !== undefined && { hint }),
    });
}

export function changedPlanError({ hash, operations }: Plan, approved: string): NfvError {
    return new NfvError({
        code: "PLAN_CHANGED",
        cause: `approved is the plan ${approved}, today it is ${hash}`,
        ...(operations.some(({ continues }) => continues) && {
            hint: "Nothing was changed. A former run did a part of its plan and did not end; what is left of it is a plan with another hash. Look at that and approve it.",
        }),
    });
}

/** What to do after a run that was stopped. `hasActed`: Pulumi's `up` or `destroy` has begun. `byPlan`: it ran an approved plan. Pure. */
export function hintOfStop(hasActed: boolean, byPlan: boolean): string {
    if (!hasActed) return "Nothing was changed. Run the same command again.";
    if (!byPlan) return "Run the same command again: it goes on from where it was.";
    return "Preview again and approve that plan: it is what is left, so it has another hash. The run of it goes on from where this one was.";
}

export function changedConfigurationError({ hash }: Plan, file: string): NfvError {
    return new NfvError({
        code: "PLAN_CHANGED",
        cause: `${file} was changed since the preview whose plan is ${hash}`,
        hint: "Nothing was changed. Run again, and look at the plan that it has then.",
    });
}

export function withOtherHint({ code, node, step, reason, output }: NfvError, hint: string): NfvError {
    return new NfvError({
        ...{ code, cause: reason, hint },
        ...(node !== undefined && { node }),
        ...(step !== undefined && { step }),
        ...(output !== undefined && { output }),
    });
}

/** Reports are made of events. Pure. */
export function errorEvent({ code, node, step, reason, hint }: NfvError): PipelineEvent {
    return {
        ...{ type: "error", time: new Date().toISOString(), code },
        ...(node !== undefined && { node }),
        ...(step !== undefined && { step }),
        ...{ text: reason, hint: hintHere(hint) },
    };
}

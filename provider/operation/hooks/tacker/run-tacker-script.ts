import { NfvError } from "../../../common/errors";
import type { HookFacts } from "../contract";
import { type ScriptInput, scriptInputs } from "./data-model";
import type { Packages } from "./instance";
import { Lines } from "./lines";
import type { JsonObject } from "./merge";
import { fileOfPackage } from "./package-path";
import { secretValues } from "./secret-values";
import type { TackerSettings } from "./settings";
import { type Answer, type Order, runShim } from "./shim-process";
import { readTackerPackage } from "./vnfd";

export interface TackerScriptOptions {
    /** Folder of the unpacked VNF package. The script gets a copy of it. */
    packageFolder: string;
    /** Relative to the folder of the package. @default the one that the package has for the event of `facts` */
    script?: string;
    facts: HookFacts;
    settings?: TackerSettings;
    /** Gets each line that the script prints on its standard error, without secrets. */
    onLine?: (line: string) => void;
    /** Ends the script and all its processes. */
    signal?: AbortSignal;
    /** Of one run of the script. @default none, as Tacker has none */
    timeoutSeconds?: number;
    /** Interpreter that runs the script: "python3", or the path of one of a virtual environment. @default "python3" */
    python?: string;
}

/** What a script leaves. */
export interface TackerScriptResult {
    /** The instance as the script changed it, if it printed one. */
    vnfInstance?: object;
    /** To be merged into that of `facts` for the next attempt. */
    errorHandlingData?: Record<string, unknown>;
}

/** A script that failed may leave data for its next attempt, too: Tacker's scripts write down how far they came. */
export class TackerScriptFailed extends NfvError {
    constructor(
        details: ConstructorParameters<typeof NfvError>[0],
        readonly errorHandlingData?: Record<string, unknown>,
    ) {
        super(details);
    }
}

const outputLimit = 16 * 1024 * 1024;

/**
 * Runs an unmodified management script of Tacker (API version 2) for an event. {} if the package has none for it.
 * If several groups of nodes scale at once, the script runs once for each, one after the other.
 * @throws NfvError INVALID_INPUT (package), TOOL_MISSING (no Python), CANCELLED; TackerScriptFailed with code HOOK_FAILED
 */
export async function runTackerScript(options: TackerScriptOptions): Promise<TackerScriptResult> {
    const { facts, settings = {}, timeoutSeconds } = options;
    const current = readTackerPackage(options.packageFolder, settings.flavourId);
    const script = scriptOf(current.folder, options.script ?? current.scripts[facts.etsiEvent]);
    if (script === undefined) return {};
    const next = settings.newPackageFolder === undefined ? undefined : readTackerPackage(settings.newPackageFolder);
    const packages: Packages = { current, ...(next && { next }) };
    // Tacker hands the new package over at this event only.
    const newPackageFolder = facts.etsiEvent === "modify_information_end" ? next?.folder : undefined;
    const order = { packageFolder: current.folder, newPackageFolder, script, timeoutSeconds, outputLimit };

    let result: TackerScriptResult = {};
    for (const input of scriptInputs(facts, settings, packages)) {
        result = await runOnce({ ...order, input: withData(input, result) }, options, result);
    }
    return result;
}

function scriptOf(folder: string, script: string | undefined): string | undefined {
    return script === undefined ? undefined : fileOfPackage(folder, ".", script, "script");
}

/** A script that runs for several groups finds what it left for the group before. */
function withData(input: ScriptInput, { errorHandlingData }: TackerScriptResult): ScriptInput {
    const data = { ...input.user_script_err_handling_data, ...errorHandlingData };
    return { ...input, user_script_err_handling_data: data };
}

async function runOnce(
    order: Order,
    { facts, onLine, signal, python = "python3" }: TackerScriptOptions,
    before: TackerScriptResult,
): Promise<TackerScriptResult> {
    const step = `hook ${facts.hook}: ${facts.etsiEvent}`;
    const lines = new Lines(line => onLine?.(line), secretValues(order.input));
    if (signal?.aborted) throw new NfvError({ code: "CANCELLED", step, cause: "the run was stopped" });
    const answer = await runShim(order, { python, lines, signal, step });
    const errorHandlingData = together(before.errorHandlingData, answer.errorHandlingData);
    if (answer.failed === undefined) {
        const { vnfInstance = before.vnfInstance } = answer;
        return { ...(vnfInstance && { vnfInstance }), ...(errorHandlingData && { errorHandlingData }) };
    }
    if (answer.failed.stopped === "cancelled") {
        throw new NfvError({
            code: "CANCELLED",
            step,
            cause: "the run was stopped; all processes of the script ended",
        });
    }
    const cause = `${order.script} ${whatFailed(answer.failed, order)}\n${lines.tail(12)}`.trimEnd();
    throw new TackerScriptFailed({ code: "HOOK_FAILED", step, cause, output: lines.tail(1000) }, errorHandlingData);
}

function together(before?: JsonObject, after?: JsonObject): JsonObject | undefined {
    return before === undefined ? after : { ...before, ...after };
}

function whatFailed(failed: NonNullable<Answer["failed"]>, order: Order): string {
    if (failed.exitCode !== undefined) return `ended with exit code ${failed.exitCode}`;
    if (failed.signal !== undefined) return `was ended by ${failed.signal}`;
    if (failed.refused !== undefined) return `ended, but ${failed.refused}`;
    if (failed.notStarted !== undefined) return `was not started: ${failed.notStarted}`;
    return `did not end within ${order.timeoutSeconds} s; all its processes were ended`;
}

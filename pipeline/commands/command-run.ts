import { createInterface } from "node:readline/promises";
import { NfvError } from "../../provider/common/errors";
import { plainText } from "../../provider/common/plain-text";
import type { PipelineEvent } from "../events/events";
import { toLine } from "../events/read-events";
import type { RunOptions, RunResult } from "../operations/operate";
import type { Run } from "../operations/run";
import { abortOnSignals } from "../operations/signals";
import { openSite, type Site } from "../operations/site";
import type { Plan } from "../plan/plan";
import { errorEvent } from "../report/failure";
import { lineOf, planText } from "../report/text";
import { type Given, runOptionsOf } from "./command-options";
import { refuseUnwritable, writeReports } from "./report-files";

/** Runs an operation of a stack as the command line wants it; its error is thrown after the reports are written. */
export async function runOperation(
    given: Given,
    operate: (site: Site, options: RunOptions) => Run<RunResult>,
): Promise<void> {
    const options = runOptionsOf(given);
    const asks = !given.preview && !given.yes && given.plan === undefined;
    refuseUnwritable(given);
    const signal = abortOnSignals();
    let events: readonly PipelineEvent[] = [];
    try {
        const site = await openSite({
            ...(given.stack !== undefined && { stack: given.stack }),
            folder: given.cwd ?? ".",
            key: given.key,
        });
        const run = operate(site, {
            ...options,
            signal,
            ...(asks && { approve: (plan: Plan) => approval(plan, given, signal) }),
            onEvent: event => show(event, given),
        });
        events = run.events;
        await run;
    } catch (error) {
        // A report of a former run would stay where this one did not get so far.
        const told = events.length > 0 || !(error instanceof NfvError) ? events : [errorEvent(error)];
        if (events.length === 0) for (const event of told) show(event, given);
        // What a person must know is why the run ended, not that a file could not be written.
        try {
            writeReports(told, given, given.cwd);
        } catch (unwritten) {
            console.error((unwritten as Error).message);
        }
        throw error;
    }
    writeReports(events, given, given.cwd);
}

/**
 * Whether a person approves the plan. What is wrong with the order itself, such as a misspelt pool, was said before: the plan shows it.
 * @throws INVALID_INPUT where there is no terminal for the question, or its lines are for a program
 */
export async function approval(plan: Plan, { json }: Pick<Given, "json">, signal: AbortSignal): Promise<boolean> {
    const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
    if (isTerminal && !json) return ask(plan, signal);
    const why = isTerminal ? "with --json" : "without a terminal";
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `${why} nfv cannot ask whether to run the plan: give --preview, --plan HASH or --yes`,
        hint: `--plan ${plan.hash} runs this plan and no other; --yes runs each plan that the guards let pass. Nothing was changed.`,
    });
}

function show(event: PipelineEvent, { json }: Pick<Given, "json">): void {
    if (json) {
        console.log(toLine(event));
        return;
    }
    if (event.type === "plan") console.log(plainText(planText(event.plan)));
    const line = lineOf(event);
    // Standard output has only the plan.
    if (line !== undefined) console.error(plainText(line));
}

async function ask(plan: Plan, signal: AbortSignal): Promise<boolean> {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
        return /^y(es)?$/i.test(await terminal.question(`Run the plan ${plan.hash}? [y/N] `, { signal }));
    } catch (error) {
        // Ctrl-D and Ctrl-C: the terminal tells no signal while it is asked.
        if (signal.aborted || (error as Error).name !== "AbortError") throw error;
        return false;
    } finally {
        terminal.close();
    }
}

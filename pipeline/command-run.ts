import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { type Given, runOptionsOf, wrong } from "./command-options";
import type { PipelineEvent } from "./events";
import { htmlReport } from "./html";
import { junitReport } from "./junit";
import { markdownReport } from "./markdown";
import type { RunOptions, RunResult } from "./operate";
import { plainText } from "./plain-text";
import type { Plan } from "./plan";
import { toLine } from "./read-events";
import type { Run } from "./run";
import { abortOnSignals } from "./signals";
import { openSite, type Site } from "./site";
import { lineOf, planText } from "./text";

/** Runs an operation of a stack as the command line wants it; its error is thrown after the reports are written. */
export async function runOperation(
    given: Given,
    operate: (site: Site, options: RunOptions) => Run<RunResult>,
): Promise<void> {
    const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
    const asks = !given.preview && !given.yes && given.plan === undefined;
    if (asks && (!isTerminal || given.json))
        throw wrong("give --yes, --plan HASH or --preview: without a terminal no question can be asked");
    const options = runOptionsOf(given);
    const signal = abortOnSignals();
    const site = await openSite({
        ...(given.stack !== undefined && { stack: given.stack }),
        folder: given.cwd ?? ".",
        key: given.key,
    });
    const run = operate(site, {
        ...options,
        signal,
        ...(asks && { approve: (plan: Plan) => ask(plan, signal) }),
        onEvent: event => show(event, given),
    });
    try {
        await run;
    } catch (error) {
        // What a person must know is why the run ended, not that a file could not be written.
        try {
            writeReports(run.events, given);
        } catch (unwritten) {
            console.error((unwritten as Error).message);
        }
        throw error;
    }
    writeReports(run.events, given);
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
    } finally {
        terminal.close();
    }
}

export function writeReports(events: readonly PipelineEvent[], { markdown, junit, html }: Given): void {
    if (markdown !== undefined) writeReport(markdown, markdownReport(events));
    if (junit !== undefined) writeReport(junit, junitReport(events));
    if (html !== undefined) writeReport(html, htmlReport(events));
}

/** @throws INVALID_INPUT */
function writeReport(file: string, text: string): void {
    try {
        writeFileSync(file, text);
    } catch (error) {
        throw wrong(`the report ${file} cannot be written: ${(error as Error).message}`);
    }
}

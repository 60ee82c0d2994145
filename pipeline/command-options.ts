import type { Command } from "commander";
import { NfvError } from "../provider/errors";
import type { Guards } from "./guards";
import type { RunOptions } from "./operate";
import type { OperationName } from "./operation-names";

/** What each operation takes on the command line. */
export interface Given {
    stack?: string;
    cwd?: string;
    key: string;
    json?: boolean;
    markdown?: string;
    junit?: string;
    html?: string;
    refresh?: boolean;
    parallel?: string;
    allow?: string;
    maxDisruption: string[];
    forbidReplace?: string;
    preview?: boolean;
    plan?: string;
    yes?: boolean;
    wait?: boolean;
    takeOver?: boolean;
}

/** Which stack, and which reports. */
export function addOutputOptions(command: Command): Command {
    return command
        .option("--json", "each event as a line of JSON on standard output")
        .option("--markdown <file>", "a report for a pull request")
        .option("--junit <file>", "errors as JUnit's XML")
        .option("--html <file>", "a page with the timeline of the run");
}

export function addStackOptions(command: Command): Command {
    return addOutputOptions(command)
        .option("-s, --stack <name>", "the stack (default: the selected one)")
        .option("-C, --cwd <folder>", "the project's folder (default: this one)")
        .option("--key <word>", "the configuration that the program gives to fromConfig", "cluster")
        .option("--refresh", "ask all machines and the cloud before, as pulumi up --refresh")
        .option("--parallel <n>", "how many resources act at once")
        .option("--allow <names>", "only these operations, separated by commas: scale,heal")
        .option("--max-disruption <group=n>", "at most so many nodes, or 20%, of a group (repeatable)", collect, [])
        .option("--forbid-replace <names>", "nodes, groups, types or resources that stay, separated by commas");
}

export function addRunOptions(command: Command): Command {
    return addStackOptions(command)
        .option("--preview", "end after the plan; nothing changes")
        .option("--plan <hash>", "run this plan, and no other; no question is asked")
        .option("-y, --yes", "ask no question")
        .option("--wait", "wait while another run has the stack")
        .option("--take-over", "release the lock of a killed run that is proven dead");
}

function collect(value: string, former: string[]): string[] {
    return [...former, value];
}

/** @throws INVALID_INPUT */
export function runOptionsOf(given: Given): RunOptions {
    return {
        guards: guardsOf(given),
        ...(given.plan !== undefined && { plan: hashIn(given.plan) }),
        previewOnly: given.preview === true,
        refresh: given.refresh === true,
        ...(given.parallel !== undefined && { parallel: countOf("--parallel", given.parallel) }),
        whenBusy: given.wait ? "wait" : "fail",
        takeOver: given.takeOver === true,
    };
}

function guardsOf({ allow, maxDisruption, forbidReplace }: Given): Guards {
    return {
        ...(allow !== undefined && { allow: listIn(allow) as OperationName[] }),
        ...(maxDisruption.length > 0 && {
            maxDisruption: Object.fromEntries(maxDisruption.map(text => pairIn("--max-disruption", text))),
        }),
        ...(forbidReplace !== undefined && { forbidReplace: listIn(forbidReplace) }),
    };
}

/** "workers=3" */
export function countsIn(texts: readonly string[]): Record<string, number> {
    return Object.fromEntries(
        texts.map(text => {
            const [group, count] = pairIn("scale", text);
            return [group, wholeNumber(`scale ${group}`, count)];
        }),
    );
}

function pairIn(what: string, text: string): [string, string] {
    const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (name === undefined) throw wrong(`${what} ${text}: GROUP=NUMBER is expected`);
    return [name, value!];
}

function wholeNumber(what: string, text: string): number {
    if (!/^\d+$/.test(text)) throw wrong(`${what} ${text}: a whole number is expected`);
    return Number(text);
}

function countOf(what: string, text: string): number {
    const count = wholeNumber(what, text);
    if (count === 0) throw wrong(`${what} ${text}: 1 or more is expected`);
    return count;
}

function hashIn(text: string): string {
    if (/^[0-9a-f]{24}$/.test(text)) return text;
    throw wrong(`--plan ${text}: the hash of a plan is expected, 24 hexadecimal digits`);
}

export function listIn(text: string): string[] {
    return text.split(",").filter(name => name !== "");
}

export function wrong(cause: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause, hint: "nfv help COMMAND shows what there is." });
}

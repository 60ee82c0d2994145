import type { Command } from "commander";
import { NfvError } from "../../provider/common/errors";
import type { RunOptions } from "../operations/operate";
import { type Guards, refuseStrange } from "../plan/guards";
import type { AllowWord } from "../plan/operation-names";

/** What each operation takes on the command line. */
export interface Given {
    stack?: string;
    cwd?: string;
    key: string;
    json?: boolean;
    markdown?: string;
    junit?: string;
    sarif?: string;
    html?: string;
    refresh?: boolean;
    parallel?: string;
    allow?: string;
    maxDisruption?: string[];
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
        .option("--sarif <file>", "errors and warnings as SARIF, for annotations")
        .option("--html <file>", "a page with the timeline of the run");
}

/** In short; docs/errors.md has the code of each error. */
const exitCodes = `
Exit codes (docs/errors.md):
  0    done; with --preview: the plan may run
  1    something failed on the way
  2    wrong input
  3    a machine, a cloud or an API was not reached, or refused the login
  4    refused by a guard, another plan or another run, or stopped by what must be put right first
  5    a program is missing or failed
  130  stopped`;

export function addStackOptions(command: Command): Command {
    return addOutputOptions(command)
        .option("-s, --stack <name>", "the stack (default: the selected one)")
        .option("-C, --cwd <folder>", "the project's folder (default: this one)")
        .option("--key <word>", "pulumi-nfv:WORD of the configuration, for fromConfig(args, WORD)", "cluster")
        .option("--refresh", "look at all machines and the cloud first, as pulumi up --refresh")
        .option("--parallel <n>", "how many resources act at once")
        .option(
            "--allow <names>",
            "only these operations, separated by commas (repeatable): scale,modify_information",
            joined,
        )
        .option(
            "--max-disruption <group=n>",
            "take at most so many nodes of a group, or 20% of them, out of service (repeatable)",
            collect,
        )
        .option(
            "--forbid-replace <names>",
            "nodes, groups, types or resources that must be neither replaced nor deleted, separated by commas (repeatable)",
            joined,
        )
        .addHelpText("after", exitCodes);
}

export function addRunOptions(command: Command): Command {
    return addStackOptions(command)
        .option("--preview", "end after the plan; nothing changes")
        .option("--plan <hash>", "run the plan with this hash, and no other; no question is asked")
        .option("-y, --yes", "run every plan that passes the guards; no question is asked")
        .option("--wait", "wait while another run has the stack")
        .option("--take-over", "release the lock of a killed run that is proven dead");
}

function collect(value: string, former: string[] = []): string[] {
    return [...former, value];
}

/** The last one alone would switch off the guards of those before it. */
function joined(value: string, former: string | undefined): string {
    if (value === "") throw wrong("--allow and --forbid-replace: a value is expected, it is empty");
    return former === undefined ? value : `${former},${value}`;
}

/** A variable of a pipeline that is not set would mean the selected stack, or no guard. @throws INVALID_INPUT */
function refuseEmpty(given: Given): void {
    const [name] = Object.entries(given).find(([, value]) => value === "") ?? [];
    if (name === undefined) return;
    throw wrong(`--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}: a value is expected, it is empty`);
}

/** @throws INVALID_INPUT */
export function runOptionsOf(given: Given): RunOptions {
    refuseEmpty(given);
    const guards = guardsOf(given);
    refuseStrange(guards);
    return {
        guards,
        ...(given.plan !== undefined && { plan: hashIn(given.plan) }),
        previewOnly: given.preview === true,
        refresh: given.refresh === true,
        ...(given.parallel !== undefined && { parallel: countOf("--parallel", given.parallel) }),
        whenBusy: given.wait ? "wait" : "fail",
        takeOver: given.takeOver === true,
    };
}

function guardsOf({ allow, maxDisruption = [], forbidReplace }: Given): Guards {
    return {
        ...(allow !== undefined && { allow: listIn(allow) as AllowWord[] }),
        ...(maxDisruption.length > 0 && {
            maxDisruption: onceEach(
                "--max-disruption",
                maxDisruption.map(text => pairIn("--max-disruption", text)),
            ),
        }),
        ...(forbidReplace !== undefined && { forbidReplace: listIn(forbidReplace) }),
    };
}

/** "workers=3" */
export function countsIn(texts: readonly string[]): Record<string, number> {
    return onceEach(
        "scale",
        texts.map(text => {
            const [group, count] = pairIn("scale", text);
            return [group, wholeNumber(`scale ${group}`, count)];
        }),
    );
}

/** @throws INVALID_INPUT */
function onceEach<T>(what: string, pairs: readonly (readonly [string, T])[]): Record<string, T> {
    const again = pairs.find(([name], i) => pairs.findIndex(each => each[0] === name) < i);
    if (again !== undefined) throw wrong(`${what}: ${again[0]} is given twice`);
    return Object.fromEntries(pairs);
}

function pairIn(what: string, text: string): [string, string] {
    const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (name === undefined) throw wrong(`${what} ${text}: GROUP=NUMBER is expected`);
    return [name, value!];
}

export function wholeNumber(what: string, text: string): number {
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
    return text
        .split(",")
        .map(name => name.trim())
        .filter(name => name !== "");
}

/** COMMAND: the one that was given; see runCommand. */
export const wrongHint = "nfv help COMMAND shows what there is.";

export function wrong(cause: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause, hint: wrongHint });
}

import { errorCodes } from "../../provider/common/errors";
import { hintHere } from "./clean-text";
import type { ErrorEvent, HookEvent, StepEvent } from "./events";

export type StepLine = Pick<StepEvent, "step" | "number" | "of" | "seconds" | "words">;

/** "3/14 join the cluster (12 s): [preflight] running", as a step tells its progress. Undefined: it is something else. Pure. */
export function readStepLine(text: string): StepLine | undefined {
    const [, number, of, rest] = /^(\d+)\/(\d+) (\S[^\n]*)$/.exec(text.trimEnd()) ?? [];
    if (rest === undefined || Number(number) < 1 || Number(of) < Number(number)) return undefined;
    const aged = /^(.*?) \((\d+) s\)(?:: (.*))?$/.exec(rest);
    const [step, words] = aged ? [aged[1]!, aged[3]] : parted(rest);
    return {
        ...{ step, number: Number(number), of: Number(of) },
        ...(aged && { seconds: Number(aged[2]) }),
        ...(words !== undefined && words !== "" && { words }),
    };
}

/** Titles of steps have no colon. */
function parted(text: string): [string, string | undefined] {
    const at = text.indexOf(": ");
    return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 2)];
}

export type HookLine = Pick<HookEvent, "hook" | "event" | "state" | "seconds" | "output">;

/** "hook dns (scale_end): done (3 s)", then what it printed, each line indented by four blanks. Undefined: it is something else. Pure. */
export function readHookLine(text: string): HookLine | undefined {
    const [first = "", ...rest] = text.split("\n");
    const [, hook, event, state, seconds] = /^hook (\S+) \((\w+)\): (done|failed) \((\d+) s\)$/.exec(first) ?? [];
    if (hook === undefined) return undefined;
    const output = rest.map(line => line.replace(/^ {4}/, "")).join("\n");
    return {
        ...{ hook, event: event!, state: state as HookEvent["state"], seconds: Number(seconds) },
        ...(output !== "" && { output }),
    };
}

export type ErrorParts = Pick<ErrorEvent, "code" | "node" | "step" | "text" | "hint">;

const place = new RegExp(`^(.*?)\\b(${Object.keys(errorCodes).join("|")})(?:: (.*))?$`);
const engineWords =
    /^(?:step "[^"]*" failed|error|Error|NfvError|StepsFailed|\d+ errors? occurred|(?:creating|updating|deleting|reading|replacing) urn:\S+|urn:\S+|\* .*?\burn:\S+|resource partially created but read failed\S*)(?::\s*|$)/;

/**
 * An error of this package in a message of the engine: `NODE: STEP: CODE`, then cause and hint, each indented by four blanks.
 * Other messages become the text as they are. Pure.
 */
export function readError(message: string): ErrorParts {
    const lines = message.split("\n").map(line => line.trimEnd());
    const at = lines.findIndex(line => place.test(line));
    const whole = message.trim();
    if (at < 0) return { text: whole };
    const [, before = "", code, after] = place.exec(lines[at]!)!;
    const [node, ...step] = bare(before)
        .split(": ")
        .map(part => part.trim().replace(/:$/, ""))
        .filter(part => part !== "");
    const body: string[] = [];
    for (const line of lines.slice(at + 1)) {
        if (line.trim() !== "" && !/^\s{4}/.test(line)) break;
        if (/^\s+at .*[:(]/.test(line)) break;
        body.push(line);
    }
    const said = outdented(body);
    const text = [after, ...said.slice(0, said.length > 1 ? -1 : undefined)].filter(Boolean).join("\n");
    return {
        code,
        ...(node !== undefined && { node }),
        ...(step.length > 0 && { step: step.join(": ") }),
        text: text === "" ? whole : text,
        ...(said.length > 1 && { hint: hintHere(said.at(-1)!) }),
    };
}

/** Without what the engine and the SDK put before an error of ours. */
function bare(text: string): string {
    const rest = text.trimStart().replace(/^\* /, "");
    const shorter = rest
        .replace(engineWords, "")
        .replace(/^pulumi-nodejs:dynamic\/nfv:\w+ resource '([^']*)' has a problem:/, "$1:");
    return shorter === rest ? rest : bare(shorter);
}

function outdented(lines: readonly string[]): string[] {
    const filled = lines.filter(line => line.trim() !== "");
    const depth = Math.min(...filled.map(line => /^ */.exec(line)![0].length));
    return filled.map(line => line.slice(depth));
}

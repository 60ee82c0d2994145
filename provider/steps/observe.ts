import { createHash } from "node:crypto";
import { quoteWord } from "../shell/quote";
import type { Connection } from "../ssh/types";
import { encodeScript } from "./protocol";
import { query } from "./query";
import type { StepBody, StepFile } from "./types";

/** What was seen of a step's result. */
export type Observed =
    | { state: "same" }
    /** A line for each difference. */
    | { state: "differs"; lines: string[] }
    /** It could not be found out, or nothing shows it. */
    | { state: "unknown"; why: string };

export type Observable = Pick<StepBody, "id" | "title" | "files" | "probe" | "run" | "env" | "observe">;

/** For one step, in seconds. */
const limit = 10;

/** Begins the lines of the answer that are ours: no program prints this sign. */
const mark = "\x1e";

/** Ends each word of a mark but its last one. */
const wordEnd = "\x1f";

/** What the shell of one step said. `words`: of its mark. */
export interface Answer {
    words: string[];
    code: number;
    lines: string[];
}

/**
 * What proves for each step that its result is still there: POSIX sh that changes nothing and answers for all of them. Each step has a shell and a
 * deadline of its own, so none stops another. It may contain secrets (of the files, as their hashes): only for standard input.
 */
export function observation(steps: readonly Observable[]): string {
    return steps.flatMap(step => observationLines(step)).join("\n");
}

/** The lines of one step. `words`: what its answer says besides; none has a line break. */
export function observationLines(step: Observable, words: readonly string[] = []): string[] {
    const text = scriptOf(step);
    if (text === undefined) return [];
    const head = [step.id, ...words].map(quoteWord).join(" ");
    // printf belongs to the shell: no process has the text as its argument
    return [
        `nfv_said=$(printf %s ${quoteWord(text)} | timeout ${limit} sh -s 2>&1) && nfv_code=0 || nfv_code=$?`,
        `printf '\\036'; printf '%s\\037' ${head}; printf '%s\\n%s\\n' "$nfv_code" "$nfv_said"`,
    ];
}

/** Undefined if the step has nothing that could be looked at. */
function scriptOf({ title, files = [], probe, env = {}, observe }: Observable): string | undefined {
    const own = observe !== undefined && "script" in observe ? observe : undefined;
    const asked =
        own ?? (observe === undefined && probe !== undefined ? { script: asObservation(title, probe) } : undefined);
    if (asked === undefined && files.length === 0) return undefined;
    const run = [...files.map(fileLine), asked?.script ?? ""].join("\n");
    return encodeScript({ run: `${fileFunction}${run}`, env: { ...env, ...asked?.env } });
}

/** A probe says no without a word. In a subshell that is not a condition, because `set -e` has no effect in conditions. */
function asObservation(title: string, probe: string): string {
    const said = quoteWord(`not done any more: ${title}`);
    const lines = ["set +e", "(", "set -eu", probe.trimEnd(), ") </dev/null >/dev/null 2>&1", "nfv_probe=$?", "set -e"];
    return [...lines, `[ "$nfv_probe" = 0 ] || printf '%s\\n' ${said}`].join("\n");
}

const fileFunction = `nfv_file() {
    if [ ! -f "$1" ]; then printf '%s is gone\\n' "$1"; return; fi
    nfv_seen=$(stat -c '%a %U:%G' -- "$1")
    [ "$nfv_seen" = "$2 $3" ] || printf '%s is %s, it was made %s %s\\n' "$1" "$nfv_seen" "$2" "$3"
    nfv_sum=$(sha256sum < "$1")
    [ "\${nfv_sum%% *}" = "$4" ] || printf '%s has changed\\n' "$1"
}
`;

function fileLine({ path, content, mode = 0o644, owner = "root:root" }: StepFile): string {
    const sum = createHash("sha256").update(content).digest("hex");
    return `nfv_file ${[path, mode.toString(8), owner, sum].map(quoteWord).join(" ")}`;
}

/** What was said, by the id of the step. */
export function answersIn(output: string): Map<string, Answer> {
    const parts = output.split(mark).flatMap((part): [string, Answer][] => {
        const [head = "", ...lines] = part.split("\n");
        const [id, ...words] = head.split(wordEnd);
        const code = words.pop();
        if (id === undefined || code === undefined || !/^\d+$/.test(code)) return [];
        return [[id, { words, code: Number(code), lines: lines.filter(line => line !== "") }]];
    });
    return new Map(parts);
}

/** The answers to `observation`, by the id of the step. */
export function parseObservation(steps: readonly Observable[], output: string): Record<string, Observed> {
    const said = answersIn(output);
    return Object.fromEntries(steps.map(step => [step.id, observedOf(step, said.get(step.id))]));
}

function observedOf(step: Observable, answer?: Answer): Observed {
    const { observe } = step;
    const unseen = observe !== undefined && "unseen" in observe ? observe.unseen : undefined;
    if (scriptOf(step) === undefined)
        return { state: "unknown", why: unseen ?? "it has no files, and nothing says how to look" };
    if (answer === undefined) return { state: "unknown", why: "the machine's answer ended before" };
    const seen = seenIn(answer);
    return seen.state === "same" && unseen !== undefined ? { state: "unknown", why: unseen } : seen;
}

/** What an answer proves. */
export function seenIn({ code, lines }: Answer): Observed {
    if (code === 124) return { state: "unknown", why: `no answer within ${limit} s` };
    if (code !== 0) return { state: "unknown", why: lines.slice(-3).join("; ") || `exit code ${code}` };
    return lines.length > 0 ? { state: "differs", lines } : { state: "same" };
}

/** Looks at a machine whether all that these steps made is still there, in one round trip. It needs no lease. @throws if the machine does not answer */
export async function observe(connection: Connection, steps: readonly Observable[]): Promise<Record<string, Observed>> {
    const script = observation(steps);
    const timeoutSeconds = limit * Math.max(steps.length, 1);
    return parseObservation(
        steps,
        await query(connection, { step: "look at what the steps left", script, holdsScripts: true, timeoutSeconds }),
    );
}

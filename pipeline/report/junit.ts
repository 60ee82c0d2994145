import type { Found } from "../../tools/check/verdict";
import type { ErrorEvent, HookEvent, PipelineEvent } from "../events/events";
import { withoutRecognised } from "../events/redaction";
import { cutText, longestReport, thatFit } from "../plan/limits";
import type { Row } from "../timeline/spans";
import { timelineOf } from "../timeline/timeline";
import { cureOf } from "./sarif";
import { firstWords } from "./text";

/**
 * The errors of a run as JUnit's XML, which runners show beside the test results: one case for each node that was acted on or failed, for each
 * other resource with steps or errors, for each hook, and one for the run and errors of no such place. At most 4,000,000 characters long: what is too much is left
 * out at the end. Pure.
 */
export function junitReport(given: readonly PipelineEvent[]): string {
    const events = withoutRecognised(given);
    const { rows, seconds } = timelineOf(events);
    const errors = events.filter(event => event.type === "error");
    const hooks = events.filter(event => event.type === "hook");
    const ofHooks = errors.filter(error => hooks.some(hook => isOf(error, hook)));
    const others = errors.filter(error => !ofHooks.includes(error));
    const nodes = events.flatMap(event => (event.type === "node" ? [event.node] : []));
    // A snapshot, a storage machine: what has steps of its own.
    const withSteps = rows.filter(row => !row.isNode && spansHaveSteps(row)).map(({ name }) => name);
    const names = [...new Set([...nodes, ...withSteps, ...others.flatMap(({ node }) => node ?? [])])];
    const cases = [
        ...names.map(name =>
            testCase(
                name,
                others.filter(error => error.node === name),
                Math.max(secondsOf(events, name), secondsIn(rows, name)),
            ),
        ),
        ...hooks.map(hook => {
            const its = ofHooks.filter(error => isOf(error, hook));
            // Where the script ran on nodes, the errors are theirs.
            const missing = hook.state === "failed" && its.length === 0 ? [hookFailed] : [];
            return testCase(`hook ${hook.hook}: ${hook.event}`, [...its, ...missing], hook.seconds, hook.output);
        }),
        testCase(
            "run",
            others.filter(({ node }) => node === undefined),
            seconds,
        ),
    ];
    return suite(cases, seconds);
}

/** An error of a hook on this machine has the hook in place of a node. */
const isOf = ({ node, step }: ErrorEvent, { hook, event, state }: HookEvent) =>
    state === "failed" && node === `hook ${hook}` && step === event;

const hookFailed = { code: "HOOK_FAILED", text: "the hook failed" };

/** What `nfv check` has found: one case for each machine with findings. Pure. */
export function checkJunit(given: readonly Found[]): string {
    const found = withoutRecognised(given);
    const names = [...new Set(found.map(({ node }) => node))];
    const failures = (name: string) =>
        found.filter(({ node }) => node === name).map(each => ({ ...each, hint: cureOf(each) }));
    const ill = names.map(name => testCase(name, failures(name), 0));
    return suite([...ill, ...(ill.length === 0 ? [testCase("check", [], 0)] : [])], 0);
}

function suite(all: readonly string[], seconds: number): string {
    // Those that failed are what it is for.
    const { kept, left } = thatFit(
        [...all.filter(hasFailed), ...all.filter(each => !hasFailed(each))],
        ({ length }) => length,
    );
    const cases = left === 0 ? all : [...kept, testCase(`${left} more are left out: see --json`, [], 0)];
    const failed = cases.filter(hasFailed).length;
    const counts = `tests="${cases.length}" failures="${failed}" time="${seconds}"`;
    return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n<testsuite name="pulumi-nfv" ${counts}>\n${cases.join("")}</testsuite>\n</testsuites>\n`;
}

const hasFailed = (text: string) => text.includes("<failure");

const spansHaveSteps = ({ spans }: Row) => spans.some(({ bars }) => bars.some(({ kind }) => kind === "step"));

/** Also of what did not end, because the run was stopped or killed. */
function secondsIn(rows: readonly Row[], name: string): number {
    const spans = rows.filter(row => row.name === name).flatMap(row => row.spans);
    return Math.round(spans.reduce((sum, { begin, end }) => sum + end - begin, 0));
}

function secondsOf(events: readonly PipelineEvent[], node: string): number {
    return events.reduce(
        (sum, event) => sum + (event.type === "node" && event.node === node ? (event.seconds ?? 0) : 0),
        0,
    );
}

type Failure = Pick<ErrorEvent, "code" | "step" | "text" | "hint">;

function testCase(name: string, errors: readonly Failure[], seconds: number, output?: string): string {
    const { kept, left } = thatFit(errors.map(failureOf), ({ length }) => length, longestReport / 2);
    const failures = left === 0 ? kept : [...kept, failureOf({ text: `${left} more errors are left out: see --json` })];
    const printed = output === undefined ? "" : `<system-out>${xml(cutText(output))}</system-out>\n`;
    return `<testcase classname="pulumi-nfv" name="${xml(name)}" time="${seconds}">\n${failures.join("")}${printed}</testcase>\n`;
}

function failureOf({ code = "error", step, text, hint }: Failure): string {
    const body = [step, cutText(text), hint && cutText(hint)].filter(Boolean).join("\n");
    return `<failure type="${xml(code)}" message="${xml(cutText(firstWords(text), 1000))}">${xml(body)}</failure>\n`;
}

/** XML 1.0 has no place for most control characters, not even escaped. */
function xml(text: string): string {
    return (
        text
            // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML lacks
            .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu, "?")
            .replace(/&/g, "&amp;")
            .replace(/</g, "&lt;")
            .replace(/>/g, "&gt;")
            .replace(/"/g, "&quot;")
    );
}

import type { Found } from "../../tools/check/verdict";
import type { PipelineEvent } from "../events/events";
import { withoutRecognised } from "../events/redaction";
import { cutText, thatFit } from "../plan/limits";

interface Problem {
    level: "error" | "warning";
    code?: string | undefined;
    node?: string | undefined;
    text: string;
    hint?: string | undefined;
}

/**
 * The errors and warnings of a preview or a run as SARIF 2.1.0, which code hosts show as annotations. `file`: where they are shown, a path in the repository. At most 4,000,000
 * characters long: what is too much is left out at the end. Pure.
 */
export function sarifReport(given: readonly PipelineEvent[], file = usualFile): string {
    const events = withoutRecognised(given);
    const plan = events.filter(event => event.type === "plan").at(-1)?.plan;
    const errors = events.flatMap((event): Problem[] => (event.type === "error" ? [{ ...event, level: "error" }] : []));
    const warned = events.flatMap(event => (event.type === "message" && event.severity === "warning" ? [event] : []));
    const known = new Set(warned.map(({ text }) => text));
    const warnings: Pick<Problem, "node" | "text">[] = [
        ...warned,
        ...(plan?.warnings ?? []).filter(text => !known.has(text)).map(text => ({ text })),
    ];
    return sarif([...errors, ...warnings.map(({ node, text }) => ({ level: "warning" as const, node, text }))], file);
}

/** What `nfv check` has found. What `pulumi up --refresh` heals is a warning. Pure. */
export function checkSarif(given: readonly Found[], file = usualFile): string {
    return sarif(
        withoutRecognised(given).map(({ node, code, text, up, person }) => {
            const cure = { level: up === undefined ? "error" : "warning", hint: cureOf({ up, person }) } as const;
            return { ...cure, node, code, text };
        }),
        file,
    );
}

/** What is done about a finding, and by whom. */
export const cureOf = ({ up, person }: { up?: string | undefined; person?: string | undefined }) =>
    up === undefined ? (person ?? "It follows from another finding.") : `pulumi up --refresh ${up}`;

/** Hosts show nothing without a file: this is the one that every program has. */
const usualFile = "Pulumi.yaml";

/** Hosts take more, and show no more than these. */
const mostResults = 5000;

function sarif(problems: readonly Problem[], file: string): string {
    const place = { artifactLocation: { uri: encodeURI(file) }, region: { startLine: 1 } };
    const all = problems.slice(0, mostResults).map(problem => resultOf(problem, place));
    const { kept: results, left } = thatFit(all, result => JSON.stringify(result, undefined, 2).length * 1.5);
    const missing = left + problems.length - all.length;
    if (missing > 0)
        results.push(resultOf({ level: "warning", text: `${missing} more are left out: see --json.` }, place));
    const rules = [...new Set(results.map(({ ruleId }) => ruleId))].sort();
    const driver = { name: "pulumi-nfv", rules: rules.map(id => ({ id, shortDescription: { text: id } })) };
    return `${JSON.stringify({ version: "2.1.0", runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }] }, undefined, 2)}\n`;
}

const codeOf = ({ code, level }: Problem) => code ?? level;

function resultOf(problem: Problem, place: object) {
    const { node, level, text, hint = "" } = problem;
    const lines = [`${node === undefined ? "" : `${node}: `}${cutText(text)}`, cutText(hint)];
    return {
        ruleId: codeOf(problem),
        level,
        message: { text: lines.join("\n").trimEnd() },
        locations: [
            {
                physicalLocation: place,
                ...(node !== undefined && { logicalLocations: [{ name: node, kind: "resource" }] }),
            },
        ],
    };
}

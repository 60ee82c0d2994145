import type { Found } from "../tools/check/verdict";
import type { PipelineEvent } from "./events";
import { withoutRecognised } from "./redaction";

interface Problem {
    level: "error" | "warning";
    code?: string | undefined;
    node?: string | undefined;
    text: string;
    hint?: string | undefined;
}

/** The errors and warnings of a preview or a run as SARIF 2.1.0, which code hosts show as annotations. Pure. */
export function sarifReport(given: readonly PipelineEvent[]): string {
    const events = withoutRecognised(given);
    const plan = events.filter(event => event.type === "plan").at(-1)?.plan;
    const errors = events.flatMap((event): Problem[] => (event.type === "error" ? [{ ...event, level: "error" }] : []));
    const warned = events.flatMap(event => (event.type === "message" && event.severity === "warning" ? [event] : []));
    const known = new Set(warned.map(({ text }) => text));
    const warnings: Pick<Problem, "node" | "text">[] = [
        ...warned,
        ...(plan?.warnings ?? []).filter(text => !known.has(text)).map(text => ({ text })),
    ];
    return sarif([...errors, ...warnings.map(({ node, text }) => ({ level: "warning" as const, node, text }))]);
}

/** What `nfv check` has found. What `pulumi up --refresh` heals is a warning. Pure. */
export function checkSarif(found: readonly Found[]): string {
    return sarif(
        found.map(({ node, code, text, up, person }) => {
            const cure = { level: up === undefined ? "error" : "warning", hint: cureOf({ up, person }) } as const;
            return { ...cure, node, code, text };
        }),
    );
}

/** What is done about a finding, and by whom. */
export const cureOf = ({ up, person }: { up?: string | undefined; person?: string | undefined }) =>
    up === undefined ? (person ?? "It follows from another finding.") : `pulumi up --refresh ${up}`;

/** Hosts show nothing without a file. Ours is the one that every program has. */
const place = { artifactLocation: { uri: "Pulumi.yaml" }, region: { startLine: 1 } };

function sarif(problems: readonly Problem[]): string {
    const codeOf = ({ code, level }: Problem) => code ?? level;
    const results = problems.map(problem => ({
        ruleId: codeOf(problem),
        level: problem.level,
        message: {
            text: [`${problem.node === undefined ? "" : `${problem.node}: `}${problem.text}`, problem.hint ?? ""]
                .join("\n")
                .trimEnd(),
        },
        locations: [
            {
                physicalLocation: place,
                ...(problem.node !== undefined && { logicalLocations: [{ name: problem.node, kind: "resource" }] }),
            },
        ],
    }));
    const rules = [...new Set(problems.map(codeOf))].sort().map(id => ({ id, shortDescription: { text: id } }));
    const driver = { name: "pulumi-nfv", rules };
    return `${JSON.stringify({ version: "2.1.0", runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }] }, undefined, 2)}\n`;
}

import type { Checked } from "./check-stack";
import type { HealLimits, Verdict } from "./verdict";

/** For a person: one line for each finding, then the verdict. */
export function textReport({ nodes, found, remarks }: Checked, verdict: Verdict): string {
    return [
        ...found.map(({ node, text, up, person }) => {
            const next = up === undefined ? person : `pulumi up --refresh ${up}`;
            return `${node}: ${text}${next === undefined ? "" : `; ${next}`}`;
        }),
        ...remarks,
        `${nodes} nodes: ${verdict.name}: ${verdict.reason}`,
    ].join("\n");
}

/** For a pipeline; also its log of reasons. */
export function jsonReport(
    { nodes, found, remarks }: Checked,
    { name, reason, exitCode, heals }: Verdict,
    limits: HealLimits,
    now: Date,
): string {
    return JSON.stringify({
        checkedAt: now.toISOString(),
        nodes,
        verdict: name,
        reason,
        exitCode,
        limits,
        heals,
        found,
        remarks,
    });
}

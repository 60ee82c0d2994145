import { aboutSeconds } from "../outlook/estimate";
import { outlookLines } from "../outlook/text";
import { changeText, groupedNodes, ranges } from "../plan/grouped-nodes";
import { internalText, partedResources } from "../plan/internal-resources";
import type { Plan } from "../plan/plan";
import { interruptionText, uncoveredText } from "../report/text";
import { html, type Markup, short, table, when } from "./markup";
import { folded, more, most, section } from "./section";

/** `isDone`: of a run, where what happened says more. */
export function planSection(plan: Plan, isDone: boolean): Markup {
    const { nodes, warnings } = plan;
    const isTimed = nodes.some(({ usualSeconds }) => usualSeconds !== undefined);
    const groups = groupedNodes(nodes);
    const rows = groups
        .slice(0, most.nodes)
        .map(each => [
            `${short(each.cluster, 60)}/${short(ranges(each.nodes), 300)}`,
            `${short(each.group, 60)}${each.nodes.length > 1 ? ` (${each.nodes.length})` : ""}`,
            each.change === "changes" ? short(each.steps.join(", "), 300) : changeText(each),
            short(each.disruptions.join("; "), 300) || "no",
            ...(isTimed ? [each.usualSeconds === undefined ? "unknown" : aboutSeconds(each.usualSeconds)] : []),
        ]);
    const heads = ["nodes", "group", "what happens", "disruptive", ...(isTimed ? ["usual duration"] : [])];
    const parted = partedResources(plan);
    const others = parted.others
        .slice(0, most.resources)
        .map(({ name, type, act }) => [short(name, 120), short(type, 100), act]);
    return (isDone ? folded : section)(
        "plan",
        "Plan",
        html`${[
            ...outlookLines(plan),
            ...(plan.interrupts ?? []).map(interruptionText),
            ...(plan.uncovered ?? []).map(uncoveredText),
        ].map(
            line => html`<p>${short(line, 500)}</p>
`,
        )}${table("Nodes", heads, rows)}${more(groups.length, most.nodes, "rows")}${table("Other resources", ["name", "type", "act"], others)}${more(parted.others.length, most.resources, "resources")}${when(parted.internals.length > 0, () => html`<p class="quiet">Internal resources: ${short(internalText(parted.internals), 500)}</p>`)}${warnings
            .slice(0, most.messages)
            .map(
                text => html`<p><span class="warn">⚠ warning:</span> ${short(text, 500)}</p>
`,
            )}`,
    );
}

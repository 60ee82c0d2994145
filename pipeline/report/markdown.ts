import { saidOnce } from "../../provider/common/errors";
import type { ErrorEvent, PipelineEvent, SummaryEvent } from "../events/events";
import { withoutRecognised } from "../events/redaction";
import { aboutSeconds } from "../outlook/estimate";
import { outlookLines } from "../outlook/text";
import { changeText, groupedNodes, type NodeGroup, ranges } from "../plan/grouped-nodes";
import { internalText, partedResources } from "../plan/internal-resources";
import { isEmpty, type Plan } from "../plan/plan";
import { duration } from "../timeline/clock";
import { timelineOf } from "../timeline/timeline";
import { unfinishedHow } from "./failure";
import { interruptionText, uncoveredText, versionText } from "./text";

/** GitHub refuses comments of more than 65,536 characters. */
export const markdownLimit = 60_000;

const detailsLeftOut =
    "\n\n*The rest is left out: the report would be too long for a comment. The JSON lines have everything.*\n";

/**
 * A report for a pull request: operation, nodes and what happens to them, warnings, errors, hash; details folded. What is too long loses its
 * details first. Pure.
 */
export function markdownReport(given: readonly PipelineEvent[], limit = markdownLimit): string {
    const events = withoutRecognised(given);
    const plan = events.filter(event => event.type === "plan").at(-1)?.plan;
    const errors = events.filter(event => event.type === "error");
    const summaries = events.filter(event => event.type === "summary");
    const head = `${headline(plan, errors, summaries, timelineOf(events).seconds)}\n`;
    const then = (plan?.followedBy ?? []).map(
        version => `\nThen Kubernetes ${plain(version)}, with a plan of its own.\n`,
    );
    const tail = plan ? `${then.join("")}\nPlan of stack ${code(plan.stack)}: ${code(plan.hash)}\n` : "";
    const parts = [
        ...versionsPart(events),
        ...errorsPart(errors, head),
        ...hooksPart(events),
        ...(plan
            ? [
                  ...outlookPart(plan),
                  ...nodesPart(plan),
                  ...interruptsPart(plan),
                  ...warningsPart(plan),
                  ...uncoveredPart(plan),
                  ...stepsPart(plan),
                  ...resourcesPart(plan),
              ]
            : []),
    ];
    let text = head.slice(0, limit - tail.length - detailsLeftOut.length);
    for (const part of parts) {
        if (text.length + part.length + tail.length + detailsLeftOut.length > limit) {
            const lines = fitting(part, limit - text.length - tail.length - detailsLeftOut.length);
            return `${text}${lines}${detailsLeftOut}${tail}`;
        }
        text += part;
    }
    return text + tail;
}

/** The first lines of a table or list; nothing of a folded part or an output, whose end would be missing. */
function fitting(part: string, room: number): string {
    if (/<details>|^ *```/m.test(part) || part.length === 0) return "";
    const lines = part.slice(0, Math.max(0, room)).split("\n").slice(0, -1);
    return lines.length > 0 ? `${lines.join("\n")}\n` : "";
}

const unchanged = "nothing was changed";

function headline(
    plan: Plan | undefined,
    errors: readonly ErrorEvent[],
    summaries: readonly SummaryEvent[],
    seconds: number,
): string {
    const last = summaries.at(-1);
    const ended = { stopped: "⏹ stopped", refused: `⛔ refused, ${unchanged}`, failed: "❌ failed" };
    const isBroken = errors.length > 0 || (last !== undefined && last.result !== "succeeded");
    const hasActed = summaries.some(({ preview }) => !preview);
    const result = isBroken
        ? ended[unfinishedHow(errors, hasActed)]
        : last === undefined || last.preview
          ? "preview"
          : `✅ done in ${duration(seconds)}`;
    if (plan === undefined) return `### pulumi-nfv: ${result}`;
    const operations = plan.operations.map(
        ({ cluster, text, continues }) => `${plain(cluster)}: ${continues ? "goes on with " : ""}${plain(text)}`,
    );
    const what =
        operations.join("; ") || (isEmpty(plan) ? "nothing changes" : `${plan.resources.length} resources change`);
    return `### pulumi-nfv: ${result}: ${what.slice(0, 2000)}`;
}

function outlookPart(plan: Plan): string[] {
    const lines = outlookLines(plan);
    return lines.length === 0 ? [] : [`\n${lines.map(line => `${plain(line)}\n`).join("\n")}`];
}

function nodesPart({ nodes }: Plan): string[] {
    if (nodes.length === 0) return [];
    const isTimed = nodes.some(({ usualSeconds }) => usualSeconds !== undefined);
    const rows = groupedNodes(nodes).map(each => {
        const { cluster, group, disruptions, usualSeconds } = each;
        const cells = [
            `${plain(cluster)}/${plain(ranges(each.nodes))}`,
            `${plain(group)}${each.nodes.length > 1 ? ` (${each.nodes.length})` : ""}`,
            what(each),
            plain(disruptions.join("; ")) || "no",
            ...(isTimed ? [usualSeconds === undefined ? "unknown" : aboutSeconds(usualSeconds)] : []),
        ];
        return `| ${cells.join(" | ")} |\n`;
    });
    const [title, line] = isTimed ? [" usual duration |", "---|"] : ["", ""];
    return [`\n| node | group | what happens | disruptive |${title}\n|---|---|---|---|${line}\n${rows.join("")}`];
}

function interruptsPart({ interrupts = [] }: Plan): string[] {
    return interrupts.length === 0
        ? []
        : [`\n${interrupts.map(each => `- ${plain(interruptionText(each))}\n`).join("")}`];
}

function what(group: NodeGroup): string {
    const { change, steps } = group;
    if (change !== "changes") return plain(changeText(group));
    return plain(
        steps.length > 3 ? `${steps.slice(0, 2).join(", ")} and ${steps.length - 2} more steps` : steps.join(", "),
    );
}

function warningsPart({ warnings }: Plan): string[] {
    return warnings.length === 0 ? [] : [`\n${warnings.map(text => `- ⚠️ ${plain(text)}\n`).join("")}`];
}

function uncoveredPart({ uncovered = [] }: Plan): string[] {
    return uncovered.length === 0 ? [] : [`\n${uncovered.map(each => `- ⚠️ ${plain(uncoveredText(each))}\n`).join("")}`];
}

/** Of a chain: how far each version is. */
function versionsPart(events: readonly PipelineEvent[]): string[] {
    const last = new Map(events.flatMap(event => (event.type === "version" ? [[event.version, event]] : [])));
    return last.size === 0 ? [] : [`\n${[...last.values()].map(each => `- ${plain(versionText(each))}\n`).join("")}`];
}

/** `head`: may say already that nothing was changed. */
function errorsPart(errors: readonly ErrorEvent[], head: string): string[] {
    if (errors.length === 0) return [];
    const items = errors.map(({ code: name, node, step, text, hint }) => {
        const place = [node, step, name]
            .filter(part => part !== undefined)
            .map(plain)
            .join(": ");
        return `- **${place || "error"}**\n${fenced(text)}${hint === undefined ? "" : `  ${plain(saidOnce(head.includes(unchanged) ? "Nothing was changed." : text, hint).hint)}\n`}`;
    });
    return items.map(item => `\n${item}`);
}

function hooksPart(events: readonly PipelineEvent[]): string[] {
    return events.flatMap(event => {
        if (event.type !== "hook") return [];
        const { hook, event: name, state, seconds, output } = event;
        const end = `${state === "done" ? "done" : "❌ failed"} (${duration(seconds)})`;
        return [`\n- hook **${plain(hook)}** (${plain(name)}): ${end}\n${output === undefined ? "" : fenced(output)}`];
    });
}

function stepsPart({ nodes }: Plan): string[] {
    const items = groupedNodes(nodes)
        .filter(({ steps }) => steps.length > 0)
        .map(group => `- ${plain(ranges(group.nodes))}: ${plain(group.steps.join(", "))}\n`);
    return items.length === 0 ? [] : [folded("Steps, in order", items)];
}

function resourcesPart(plan: Plan): string[] {
    const { others, internals } = partedResources(plan);
    if (plan.resources.length === 0) return [];
    const counts = [
        ...(others.length > 0 ? [`${others.length} other resources`] : []),
        ...(internals.length > 0 ? [`${internals.length} internal ones`] : []),
    ];
    return [
        folded(counts.join(" and "), [
            ...others.map(({ name, type, act }) => `- ${plain(act)} ${code(type)} ${plain(name)}\n`),
            ...(internals.length > 0 ? [`- internal: ${plain(internalText(internals))}\n`] : []),
        ]),
    ];
}

function folded(title: string, items: readonly string[]): string {
    return `\n<details><summary>${title}</summary>\n\n${items.join("")}\n</details>\n`;
}

/** In one line, and without effect as Markdown or HTML. */
function plain(text: string): string {
    return text
        .replace(/\s+/g, " ")
        .trim()
        .replace(/[\\`*_[\]|~]/g, "\\$&")
        .replace(/&/g, "&amp;")
        .replace(/</g, "&lt;")
        .replace(/>/g, "&gt;")
        .replace(/@/g, "&#64;");
}

function code(text: string): string {
    return `\`${text.replace(/[`\s]/g, " ").trim()}\``;
}

function fenced(text: string): string {
    const lines = text
        .split("\n")
        .slice(-30)
        .map(line => `  ${line.slice(0, 500)}`);
    const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(run => run.length));
    const fence = "`".repeat(longest + 1);
    return `\n  ${fence}text\n${lines.join("\n")}\n  ${fence}\n`;
}

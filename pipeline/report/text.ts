import { listed } from "../../provider/operation/names";
import type { HookEvent, PipelineEvent, VersionEvent } from "../events/events";
import { outlookLines } from "../outlook/text";
import { changeText, groupedNodes, ranges } from "../plan/grouped-nodes";
import { internalText, partedResources } from "../plan/internal-resources";
import { isEmpty, type Plan } from "../plan/plan";
import type { PlannedDisruption } from "../plan/planned-disruptions";

/** One line for a person about an event; undefined for those that only programs read. Pure. */
export function lineOf(event: PipelineEvent): string | undefined {
    switch (event.type) {
        case "stage":
            return event.stage === "wait" ? `waits: ${event.text ?? "another run"}` : undefined;
        case "version":
            return versionText(event);
        case "phase":
            return event.phase;
        case "node":
            return event.state === "begin"
                ? undefined
                : `  ${event.node}: ${event.resource} ${event.act} ${event.state === "end" ? "done" : "failed"} (${event.seconds ?? 0} s)`;
        case "hook":
            return hookText(event);
        case "message":
            return `${event.severity === "warning" ? "warning: " : ""}${messageText(event)}`;
        case "summary":
            return event.preview ? undefined : `${event.result} in ${event.seconds} s`;
        default:
            return undefined;
    }
}

function hookText({ hook, event, state, seconds, output }: HookEvent): string {
    const lines = output === undefined ? [] : output.split("\n").map(line => `    ${line}`);
    return [`  hook ${hook} (${event}): ${state} (${seconds} s)`, ...lines].join("\n");
}

/** With the node that it is about; many messages begin with it themselves. Pure. */
export function messageText({ node, text }: { node?: string; text: string }): string {
    return node === undefined || text.startsWith(`${node}: `) ? text : `${node}: ${text}`;
}

/** The first line of a text; one that only introduces the next says nothing alone. Pure. */
export function firstWords(text: string): string {
    const [first = "", next] = text.split("\n");
    return first.endsWith(":") && next !== undefined ? `${first} ${next.trim()}` : first;
}

/** "Kubernetes 1.36.3 (1 of 2): begins". Pure. */
export function versionText({ version, number, of, state }: VersionEvent): string {
    const how = { begin: "begins", end: "done, the cluster is well", failed: "failed" }[state];
    return `Kubernetes ${version} (${number} of ${of}): ${how}`;
}

/** "OsUpgrade core interrupts m1, w1: the machine reboots". Pure. */
export function interruptionText({ resource, nodes, what }: PlannedDisruption): string {
    return `${resource} interrupts ${nodes === undefined ? "what no limit counts" : listed(nodes)}: ${what}`;
}

/** Pure. */
export const uncoveredText = (resource: string): string =>
    `secret inputs of ${resource} changed, not covered by the hash`;

/** The plan for a person. Pure. */
export function planText(plan: Plan): string {
    const { operations, nodes, hash } = plan;
    const { others, internals } = partedResources(plan);
    const lines = [
        ...operations.map(({ cluster, text, continues }) => `${cluster}: ${continues ? "goes on with " : ""}${text}`),
        ...groupedNodes(nodes).flatMap(each => {
            const count = each.nodes.length > 1 ? `, ${each.nodes.length} nodes` : "";
            const titles = each.steps.length > 0 ? `: ${each.steps.join(", ")}` : "";
            return [
                `  ${ranges(each.nodes)} (${each.group}${count}) ${changeText(each)}${titles}`,
                ...each.disruptions.map(text => `    interrupts: ${text}`),
            ];
        }),
        ...others.map(({ act, type, name }) => `  ${act} ${type} ${name}`),
        ...(internals.length > 0 ? [`  internal: ${internalText(internals)}`] : []),
        ...(plan.interrupts ?? []).map(each => `  ${interruptionText(each)}`),
        ...(plan.uncovered ?? []).map(uncoveredText),
        ...outlookLines(plan),
        ...(plan.followedBy ?? []).map(version => `then Kubernetes ${version}, with a plan of its own`),
        ...(isEmpty(plan) ? ["nothing changes"] : []),
        `plan ${hash}`,
    ];
    // Scripts look for the last line: no name may look like one.
    return lines.map(line => line.replace(/\s*[\n\r\u2028\u2029]\s*/g, " ")).join("\n");
}

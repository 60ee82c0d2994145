import type { Plan } from "../plan/plan";
import { nodeKey, type PlannedNode, switchesVersion } from "../plan/planned-nodes";
import { type Durations, limitsIn, median, ofPart, ofStep, operationsKey } from "./durations";
import { type NodeTime, scheduled } from "./schedule";

/**
 * The plan with how long it and its nodes usually take, and the last run with the same operations. Each is left out where anything of it has never been recorded. The
 * hash stays. `parallel`: how many resources act at once. Pure.
 */
export function withEstimate(plan: Plan, durations: Durations, parallel?: number): Plan {
    const key = operationsKey(plan);
    const times = plan.nodes.map(node => timeOf(node, durations));
    const nodes = plan.nodes.map((node, i) => {
        const time = times[i];
        return time === undefined ? node : { ...node, usualSeconds: Math.round(time.host + time.own) };
    });
    const others = key === undefined ? undefined : durations.others[key];
    const rest = median(others);
    const isWhole = times.every(time => time !== undefined);
    const lastRun = key === undefined ? undefined : durations.runs[key];
    const together = isWhole ? scheduled(times as NodeTime[], limitsIn(durations.atOnce), parallel) : undefined;
    const estimate =
        rest === undefined || together === undefined
            ? undefined
            : { seconds: Math.round(rest + together), runs: others!.length };
    return { ...plan, nodes, ...(estimate && { estimate }), ...(lastRun && { lastRun: ofNodes(lastRun, plan) }) };
}

function ofNodes(run: Durations["runs"][string], plan: Plan): Durations["runs"][string] {
    const wanted = new Set(plan.nodes.map(nodeKey));
    return { ...run, nodes: Object.fromEntries(Object.entries(run.nodes).filter(([name]) => wanted.has(name))) };
}

/** Undefined: a part of it was never recorded. */
function timeOf(node: PlannedNode, { seconds }: Durations): NodeTime | undefined {
    const parts = (["Host", "Node"] as const).map(part => median(seconds[ofPart(node, part)]));
    if (node.change !== "changes" || switchesVersion(node)) {
        const [host, own] = parts;
        return host === undefined || own === undefined ? undefined : { node, host, own };
    }
    const steps = node.steps.map(({ title }) => median(seconds[ofStep(node.cluster, node.group, title)]));
    if (steps.some(each => each === undefined) || steps.length === 0) return undefined;
    return { node, host: 0, own: steps.reduce<number>((sum, each) => sum + each!, 0) };
}

/** "about 4 min". Pure. */
export function aboutSeconds(seconds: number): string {
    if (seconds < 55) return `about ${Math.max(5, Math.round(seconds / 5) * 5)} s`;
    const minutes = seconds / 60;
    if (minutes < 90)
        return `about ${minutes < 10 ? Math.max(1, Math.round(minutes)) : Math.round(minutes / 5) * 5} min`;
    return `about ${Math.round(minutes / 30) / 2} h`;
}

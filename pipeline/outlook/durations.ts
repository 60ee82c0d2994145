import type { PastRun } from "../plan/outlook";
import type { Plan } from "../plan/plan";
import { nodeKey, type PlannedNode, switchesVersion } from "../plan/planned-nodes";
import type { Bar, Row } from "../timeline/spans";
import { busySeconds, groupOf, type Timeline } from "../timeline/timeline";
import { type AtOnce, scheduled, takesTurns } from "./schedule";

/** How long things took in the last runs of one stack. Names and seconds, nothing else. */
export interface Durations {
    version: 1;
    /** By cluster, group, change and part (`Host`, `Node`) of a node, or title of a step: seconds of the last times, the newest last. */
    seconds: Record<string, number[]>;
    /** By operations: what a run took besides its nodes, in seconds. */
    others: Record<string, number[]>;
    /** By operations: the last run that succeeded. */
    runs: Record<string, PastRun>;
    /** By cluster and pool: how many workers the last run interrupted at once. */
    atOnce: Record<string, SeenAtOnce>;
}

export interface SeenAtOnce {
    count: number;
    /** Others waited for their turn meanwhile: more of them are not interrupted at once. */
    isLimit: boolean;
}

export const noDurations: Durations = { version: 1, seconds: {}, others: {}, runs: {}, atOnce: {} };

/** Times that are kept of one thing: the median follows a changed machine after five. */
const timesKept = 9;
const keysKept = { seconds: 3000, others: 50, runs: 20, atOnce: 200 };
const nodesKept = 1000;

/** The operations of a plan as one word: "core scale out". Undefined: there is none, or it goes on with a former one. Pure. */
export function operationsKey({ operations }: Plan): string | undefined {
    if (operations.length === 0 || operations.some(({ continues }) => continues)) return undefined;
    return operations
        .map(({ cluster, names, text }) => `${cluster} ${/^scale (?:out|in)\b/.exec(text)?.[0] ?? names.join("+")}`)
        .sort()
        .join("; ");
}

export type Part = "Host" | "Node";

export const ofStep = (cluster: string, group: string, title: string) => `${cluster}/${group}/step/${title}`;
export const ofPart = (node: PlannedNode, part: Part) => {
    const { cluster, group, change } = node;
    return `${cluster}/${group}/${switchesVersion(node) ? "switches" : change}/${part}`;
};

/** With a run that succeeded; others teach nothing about how long a whole one takes. Pure. */
export function withRun(durations: Durations, timeline: Timeline): Durations {
    const { plan, result, seconds: took, began } = timeline;
    if (plan === undefined || result !== "succeeded") return durations;
    const parts = partsOf(timeline);
    const steps = stepsOf(timeline);
    const key = operationsKey(plan);
    const seconds = added(durations.seconds, [
        ...parts.map(({ key: name, seconds }) => [name, seconds] as const),
        ...steps,
    ]);
    const runs = { ...durations.runs };
    let others = durations.others;
    const atOnce = { ...durations.atOnce, ...seenAtOnce(timeline) };
    if (key !== undefined) {
        const times = timesOf(parts);
        const all = plan.nodes.map(node => ({ node, ...(times.get(nodeKey(node)) ?? none) }));
        // What was seen in this run is known for this run.
        const nodes = scheduled(all, limitsIn(atOnce)) ?? 0;
        others = added(others, [[key, Math.max(0, took - nodes)]]);
        delete runs[key];
        runs[key] = { began, seconds: took, nodes: secondsOf(times) };
    }
    return {
        version: 1,
        seconds: newest(seconds, keysKept.seconds),
        others: newest(others, keysKept.others),
        runs: newest(runs, keysKept.runs),
        atOnce: newest(atOnce, keysKept.atOnce),
    };
}

function secondsOf(times: ReadonlyMap<string, { host: number; own: number }>): PastRun["nodes"] {
    return Object.fromEntries([...times].slice(0, nodesKept).map(([name, { host, own }]) => [name, host + own]));
}

const poolKey = (cluster: string, group: string) => `${cluster}/${group}`;

/** What is recorded answers for fewer nodes, too; for more only if others had to wait. Pure. */
export function limitsIn(atOnce: Durations["atOnce"]): AtOnce {
    return (cluster, group, nodes) => {
        const seen = atOnce[poolKey(cluster, group)];
        return seen !== undefined && (seen.isLimit || nodes <= seen.count) ? seen.count : undefined;
    };
}

/** Of pools in which several workers took turns. */
function seenAtOnce({ rows, plan }: Timeline): Durations["atOnce"] {
    const pools = new Map<string, Row[]>();
    for (const node of plan!.nodes) {
        const row = rowOf(rows, node);
        if (row === undefined || node.group === "controlPlane" || !takesTurns(node)) continue;
        const key = poolKey(node.cluster, node.group);
        pools.set(key, [...(pools.get(key) ?? []), row]);
    }
    const several = [...pools].filter(([, all]) => all.length > 1);
    return Object.fromEntries(several.map(([key, all]) => [key, overlapOf(all)]));
}

function overlapOf(rows: readonly Row[]): SeenAtOnce {
    const works = rows.map(({ spans }) => spans.flatMap(({ bars }) => afterWait(bars)));
    const at = (moment: number) =>
        works.filter(bars => bars.some(({ begin, end }) => begin <= moment && moment < end)).length;
    const isLimit = rows.some(({ spans }) => spans.some(({ bars }) => bars.some(isWait)));
    return { count: Math.max(1, ...works.flat().map(({ begin }) => at(begin))), isLimit };
}

const isWait = ({ kind }: Bar) => kind === "wait";

/** Before its turn a node only looks. */
function afterWait(bars: readonly Bar[]): readonly Bar[] {
    return bars.slice(bars.map(isWait).lastIndexOf(true) + 1);
}

function rowOf(rows: readonly Row[], { cluster, node }: PlannedNode): Row | undefined {
    return rows.find(each => each.isNode && each.name === node && (each.cluster ?? cluster) === cluster);
}

const none = { host: 0, own: 0 };

interface PartTime {
    node: PlannedNode;
    part: Part;
    key: string;
    seconds: number;
}

/** How long each part of each planned node took, without the time in which it waited for its turn. */
function partsOf({ rows, plan }: Timeline): PartTime[] {
    return plan!.nodes.flatMap(node => {
        const row = rowOf(rows, node);
        if (row === undefined) return [];
        return (["Host", "Node"] as const).map(part => {
            const spans = row.spans.filter(({ resource }) => resource === part);
            const seconds = spans.reduce((sum, span) => sum + busySeconds(span), 0);
            return { node, part, key: ofPart(node, part), seconds };
        });
    });
}

function timesOf(parts: readonly PartTime[]): Map<string, { host: number; own: number }> {
    const times = new Map<string, { host: number; own: number }>();
    for (const { node, part, seconds } of parts) {
        const known = times.get(nodeKey(node)) ?? none;
        times.set(nodeKey(node), part === "Host" ? { ...known, host: seconds } : { ...known, own: seconds });
    }
    return times;
}

/** Steps of nodes, each with its title. */
function stepsOf({ rows, plan }: Timeline): [string, number][] {
    return rows.flatMap(row => {
        const group = groupOf(row, plan);
        const cluster = row.cluster ?? plan!.nodes.find(({ node }) => node === row.name)?.cluster;
        if (group === undefined || cluster === undefined) return [];
        return row.spans
            .flatMap(({ bars }) => bars)
            .filter(({ kind }) => kind === "step")
            .map(({ title, begin, end }): [string, number] => [ofStep(cluster, group, title), end - begin]);
    });
}

/** Of several values of one run only the median: a pool of 100 nodes must not push out all former runs. */
function added(
    former: Readonly<Record<string, number[]>>,
    news: readonly (readonly [string, number])[],
): Record<string, number[]> {
    const byKey = new Map<string, number[]>();
    for (const [key, seconds] of news) byKey.set(key, [...(byKey.get(key) ?? []), seconds]);
    const all = { ...former };
    for (const [key, values] of byKey) {
        const kept = [...(all[key] ?? []), Math.round(median(values)! * 10) / 10].slice(-timesKept);
        // What was seen last is kept longest.
        delete all[key];
        all[key] = kept;
    }
    return all;
}

function newest<T>(all: Readonly<Record<string, T>>, count: number): Record<string, T> {
    return Object.fromEntries(Object.entries(all).slice(-count));
}

/** Undefined without values. Pure. */
export function median(values: readonly number[] | undefined): number | undefined {
    if (values === undefined || values.length === 0) return undefined;
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

import { inNaturalOrder } from "../../provider/operation/names";
import type { AboutEvent, ErrorEvent, HookEvent, MessageEvent, PipelineEvent, SummaryEvent } from "../events/events";
import type { Plan } from "../plan/plan";
import { type Row, type Span, SpanReader } from "./spans";

/** One run as a timeline: what happened to which resource, in seconds since its begin. */
export interface Timeline {
    about?: AboutEvent;
    /** ISO 8601. */
    began: string;
    /** From the begin of Pulumi's `up` or `destroy` to its end: what the terminal says, too. */
    seconds: number;
    /** `running`: the last event is no end. */
    result: "previewed" | "succeeded" | "failed" | "running";
    plan?: Plan;
    /** In the order in which they begin. */
    phases: { title: string; at: number }[];
    /** Nodes in natural order, control-plane nodes first; then other resources as they began. */
    rows: Row[];
    errors: ErrorEvent[];
    messages: MessageEvent[];
    hooks: HookEvent[];
    summary?: SummaryEvent;
}

/** The last run in these events. Pure. */
export function timelineOf(all: readonly PipelineEvent[]): Timeline {
    const events = lastRun(all);
    const hasActs = events.some(isAct);
    const acts = events.slice(Math.max(0, events.findIndex(isAct)));
    const summaries = events.filter(event => event.type === "summary");
    const begin = acts[0] ?? all[0];
    const from = beginOf(begin?.time ?? "", summaries);
    const at = ({ time }: PipelineEvent) => Math.max(0, (Date.parse(time) - from) / 1000);
    const reader = new SpanReader(from);
    if (hasActs) for (const event of acts) reader.take(event);
    const errors = events.filter(event => event.type === "error");
    const summary = summaries.at(-1);
    const about = all.filter(event => event.type === "about").at(-1);
    const plan = events.filter(event => event.type === "plan").at(-1)?.plan;
    const rows = reader.finish().filter(isWorthARow);
    // What comes behind the last summary, such as an error, is told later.
    const ends = acts.some(isEnd) ? acts.filter(isEnd) : acts;
    return {
        ...(about && { about }),
        began: Number.isNaN(from) ? "" : new Date(from).toISOString(),
        seconds: hasActs ? Math.max(0, ...ends.map(at).filter(Number.isFinite)) : 0,
        result: resultOf(errors, summary, hasActs),
        ...(plan && { plan }),
        phases: acts.flatMap(event => (event.type === "phase" ? [{ title: event.phase, at: at(event) }] : [])),
        rows: ordered(rows, plan),
        errors,
        messages: events.filter(event => event.type === "message"),
        hooks: events.filter(event => event.type === "hook"),
        ...(summary && { summary }),
    };
}

const isEnd = (event: PipelineEvent) => event.type === "summary" && !event.preview;

/** When Pulumi began, in milliseconds: its summary tells how long it took, in whole seconds. `time`: of the first act. */
function beginOf(time: string, summaries: readonly SummaryEvent[]): number {
    // The engine tells whole seconds, the run itself parts of them.
    const first = Math.floor(Date.parse(time) / 1000) * 1000;
    const end = summaries.find(isEnd);
    const began = end === undefined ? first : Date.parse(end.time) - end.seconds * 1000;
    return began > first ? began : first;
}

const isAct = (event: PipelineEvent) =>
    (event.type === "stage" && (event.stage === "up" || event.stage === "destroy")) ||
    event.type === "node" ||
    event.type === "resource";

/** A file may hold several runs, and a run that waited has several previews: what is behind the last plan counts, with the errors of a run without one. */
function lastRun(all: readonly PipelineEvent[]): readonly PipelineEvent[] {
    // The upgrades of a chain are one run.
    const chain = all
        .map(each => each.type === "version" && each.number === 1 && each.state === "begin")
        .lastIndexOf(true);
    if (chain >= 0) return all.slice(chain);
    const events = all;
    const at = events.map(({ type }) => type).lastIndexOf("plan");
    if (at < 0) return events;
    const isPreview = (event: PipelineEvent) => event.type === "stage" && event.stage === "preview";
    const begin = events.slice(0, at).map(isPreview).lastIndexOf(true);
    return events.slice(Math.max(0, begin));
}

function resultOf(
    errors: readonly ErrorEvent[],
    summary: SummaryEvent | undefined,
    hasActs: boolean,
): Timeline["result"] {
    if (errors.length > 0 || (summary !== undefined && summary.result !== "succeeded")) return "failed";
    if (!hasActs) return "previewed";
    return summary !== undefined && !summary.preview ? "succeeded" : "running";
}

/** Resources of others, and bookkeeping, only if they took time or failed. */
function isWorthARow({ isNode, spans, errors }: Row): boolean {
    return isNode || errors.length > 0 || spans.some(span => span.outcome !== "done" || span.end - span.begin >= 1);
}

function ordered(rows: readonly Row[], plan: Plan | undefined): Row[] {
    const rank = (row: Row) => (row.isNode ? (groupOf(row, plan) === "controlPlane" ? 0 : 1) : 2);
    const begin = ({ spans }: Row) => spans[0]?.begin ?? 0;
    return [...rows].sort(
        (a, b) =>
            rank(a) - rank(b) ||
            (a.isNode
                ? inNaturalOrder(a.cluster ?? "", b.cluster ?? "") || inNaturalOrder(a.name, b.name)
                : begin(a) - begin(b)),
    );
}

/** `controlPlane`, or the name of the pool; undefined: the plan does not know it. Pure. */
export function groupOf({ cluster, name, isNode }: Row, plan: Plan | undefined): string | undefined {
    if (!isNode || plan === undefined) return undefined;
    const clusters = cluster === undefined ? Object.values(plan.groups) : [plan.groups[cluster] ?? {}];
    const found = clusters.flatMap(groups => Object.entries(groups)).find(([, nodes]) => nodes.includes(name));
    return found?.[0];
}

export const spansIn = ({ rows }: Timeline): Span[] => rows.flatMap(({ spans }) => spans);

/** Seconds in which something was done to it, without looks, unless it was only looked at. */
export function actedSeconds({ spans }: Row): number {
    const acts = spans.filter(({ act }) => act !== "read");
    return (acts.length > 0 ? acts : spans).reduce((sum, span) => sum + busySeconds(span), 0);
}

/** Seconds in which something was done to it, without the time in which it waited for its turn. */
export function busySeconds({ begin, end, bars }: Span): number {
    const waits = bars.filter(({ kind }) => kind === "wait").reduce((sum, bar) => sum + bar.end - bar.begin, 0);
    return Math.max(0, end - begin - waits);
}

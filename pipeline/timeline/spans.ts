import type { ErrorEvent, PipelineEvent } from "../events/events";
import type { Act } from "../plan/acts";

/** `unfinished`: the run ended, or was killed, before it. */
export type Outcome = "done" | "failed" | "unfinished";

/** A step, a wait, or another status of a resource. Times are in seconds since the run's begin. */
export interface Bar {
    title: string;
    kind: "step" | "wait" | "status";
    begin: number;
    end: number;
    outcome: Outcome;
    /** The last line of its output. */
    words?: string;
}

/** One act on one resource. */
export interface Span {
    row: string;
    /** "Host", "Node", …; of others Pulumi's type token. */
    resource: string;
    act: Act;
    begin: number;
    end: number;
    outcome: Outcome;
    bars: Bar[];
}

/** A node with all that was done to it, or another resource. */
export interface Row {
    /** Unique. */
    key: string;
    name: string;
    /** Name of the cluster's resource, if the events tell it. */
    cluster?: string;
    isNode: boolean;
    spans: Span[];
    errors: ErrorEvent[];
}

interface Place {
    row: Row;
    span: Span;
}

/** A machine that waits for its turn. Other waits, such as for an API server, are part of what is done. */
const waiting = /^waits: /;

/**
 * Makes rows of the events of one run: what was done to which resource, from when to when. The engine tells whole seconds, so a bar is up to a second longer
 * or shorter than the step was.
 */
export class SpanReader {
    readonly rows = new Map<string, Row>();
    private readonly open: Place[] = [];
    private now = 0;

    constructor(private readonly start: number) {}

    take(event: PipelineEvent): void {
        const at = (Date.parse(event.time) - this.start) / 1000;
        this.now = Math.max(this.now, Number.isFinite(at) ? at : 0);
        if (event.type === "node") this.acted(event, this.rowOf(event.node, true, event.cluster));
        if (event.type === "resource") this.acted(event, this.rowOf(event.name, false, event.resource));
        if (event.type === "step") this.showed(event, "step", event.step, event.words, event.seconds);
        if (event.type === "progress") this.status(event);
        if (event.type === "error") this.failed(event);
    }

    /** What is open now stays unfinished. */
    finish(): Row[] {
        for (const { span } of [...this.open]) this.end(span, "unfinished");
        return [...this.rows.values()];
    }

    /** `of`: of a node its cluster, otherwise the type. Several resources of a cluster have its name. */
    private rowOf(name: string, isNode: boolean, of = ""): Row {
        const key = JSON.stringify([of, name]);
        const cluster = isNode && of !== "" ? { cluster: of } : {};
        const row = this.rows.get(key) ?? { key, name, ...cluster, isNode, spans: [], errors: [] };
        this.rows.set(key, row);
        return row;
    }

    private acted(event: Extract<PipelineEvent, { type: "node" | "resource" }>, row: Row): void {
        const { resource, act, state } = event;
        if (state === "begin") {
            this.begin(row, resource, act);
            return;
        }
        const known = this.open
            .filter(({ span }) => span.row === row.key && span.resource === resource && span.act === act)
            .at(-1);
        // Its begin was not told.
        const { span } = known ?? this.begin(row, resource, act);
        this.end(span, state === "failed" ? "failed" : "done");
    }

    private begin(row: Row, resource: string, act: Act): Place {
        const span: Span = {
            ...{ row: row.key, resource, act, begin: this.now, end: this.now },
            ...{ outcome: "unfinished", bars: [] },
        };
        row.spans.push(span);
        const place = { row, span };
        this.open.push(place);
        return place;
    }

    private end(span: Span, outcome: Outcome): void {
        this.open.splice(
            this.open.findIndex(each => each.span === span),
            1,
        );
        Object.assign(span, { end: this.now, outcome });
        const last = span.bars.at(-1);
        if (last !== undefined) Object.assign(last, { end: this.now, outcome });
    }

    private status(event: Extract<PipelineEvent, { type: "progress" }>): void {
        this.showed(event, waiting.test(event.text) ? "wait" : "status", event.text, event.text);
    }

    private showed(
        { node, resource, cluster }: { node: string; resource: string; cluster?: string },
        kind: Bar["kind"],
        title: string,
        words: string | undefined,
        seconds = 0,
    ): void {
        const place = this.open
            .filter(({ row, span }) => span.resource === resource && isNamed(row, node) && isOf(row, cluster))
            .at(-1);
        // It was told behind the end of the act.
        if (place === undefined) return;
        const { span } = place;
        const last = span.bars.at(-1);
        if (last !== undefined && isSame(last, kind, title)) {
            Object.assign(last, { end: this.now, ...(words !== undefined && { words }) });
            return;
        }
        if (last !== undefined) Object.assign(last, { end: this.now, outcome: "done" });
        const begin = Math.max(last?.end ?? span.begin, this.now - seconds);
        if (last !== undefined) last.end = Math.min(last.end, begin);
        span.bars.push({
            ...{ title, kind, begin, end: this.now, outcome: "unfinished" },
            ...(words !== undefined && words !== title && { words }),
        });
    }

    private failed(event: ErrorEvent): void {
        const { node, step } = event;
        if (node === undefined) return;
        const rows = [...this.rows.values()].filter(each => isNamed(each, node));
        const hasFailed = ({ spans }: Row) => spans.some(({ outcome }) => outcome !== "done");
        const row = rows.find(hasFailed) ?? rows.find(({ isNode }) => isNode) ?? rows[0];
        if (row === undefined) return;
        row.errors.push(event);
        const bars = row.spans.flatMap(span => span.bars);
        if (isStop(event)) {
            // For the engine it failed.
            for (const each of [...row.spans, ...bars]) if (each.outcome === "failed") each.outcome = "unfinished";
            return;
        }
        const bar = bars.filter(({ title }) => title === step).at(-1);
        if (bar !== undefined) bar.outcome = "failed";
    }
}

/** Somebody stopped the run while it was done; nothing is wrong with it. */
export const isStop = ({ code }: Pick<ErrorEvent, "code">): boolean => code === "CANCELLED";

/** Resources are named after cluster and node: core-m1. */
function isNamed({ name, isNode }: Row, node: string): boolean {
    return name === node || (!isNode && name.endsWith(`-${node}`));
}

function isOf(row: Row, cluster: string | undefined): boolean {
    return row.cluster === undefined || cluster === undefined || row.cluster === cluster;
}

/** A status that counts, "12 of 40 nodes", stays the same. */
function isSame({ kind, title }: Bar, otherKind: Bar["kind"], other: string): boolean {
    const bare = (text: string) => text.replace(/\d+/g, "0");
    return kind === otherKind && (kind === "step" ? title === other : bare(title) === bare(other));
}


import { type Bar, isStop, type Outcome, type Row, type Span } from "../timeline/spans";
import { busySeconds, groupOf, type Timeline } from "../timeline/timeline";
import type { Link, Wait } from "../timeline/waits";
import { clock, duration, html, type Markup, none, short, table, when } from "./markup";

/** More than these would make the page slow; what is left out is said. */
export const limits = { rows: 400, bars: 6000, stepsOfRow: 60 };

interface Scale {
    seconds: number;
    tick: number;
    shortest: number;
}

/** Nodes and resources as rows, what was done to them as bars. Each row opens to a table of the same. */
export function chart(timeline: Timeline, path: readonly Link[], waits: readonly Wait[]): Markup {
    const { rows, plan } = timeline;
    if (rows.length === 0) return none;
    const shown = chosen(rows, path);
    const bars = shown.flatMap(({ spans }) => spans.flatMap(span => span.bars)).map(lengthOf);
    const seconds = Math.max(1, timeline.seconds);
    const scale: Scale = {
        seconds,
        tick: tickOf(seconds),
        shortest: Math.max(0.5, bars.length > limits.bars ? bars.sort((a, b) => b - a)[limits.bars]! : 0),
    };
    const names = new Map(rows.map(row => [row.key, row.name]));
    const groups = [...new Set(shown.map(row => titleOf(row, timeline)))];
    const left = rows.length - shown.length;
    return html`<section aria-labelledby="timeline"><h2 id="timeline" tabindex="-1">Timeline</h2>
${legend}
<div class="chart" style="--tick:${percent(scale.tick, scale)}%">
${axis(scale)}
${groups.map(group => {
    const inGroup = shown.filter(row => titleOf(row, timeline) === group);
    return html`<div class="group"><h3>${group} (${inGroup.length})</h3>
${inGroup.map(row => rowOf(row, { scale, path, waits: waits.filter(wait => wait.row === row.key), names }))}</div>
`;
})}</div>
${when(left > 0, () => html`<p class="quiet">${left} more rows are left out: the page would be too long. Rows that failed and those of the critical path are shown.</p>`)}
${when(scale.shortest > 0.5, () => html`<p class="quiet">Only bars longer than ${Math.round(scale.shortest)} s are drawn: there are too many.</p>`)}
${when(plan === undefined, () => html`<p class="quiet">The plan of this run is not in the events, so the groups of nodes are not known.</p>`)}</section>
`;
}

const legend = html`<ul class="legend" aria-label="Legend"><li><i class="step"></i>step of a node</li><li><i class="host"></i>step that prepares a machine</li><li><i class="status"></i>other work</li><li><i class="wait"></i>waits for its turn</li><li><i class="bad"></i>failed</li><li><i class="open"></i>not finished</li><li><i class="path"></i>critical path</li></ul>
<p class="quiet">A row opens to its steps as a table. Times have whole seconds; steps of less than a second are not drawn.</p>`;

/** Failures and the critical path first, then as many others as there is room; in their former order. */
function chosen(rows: readonly Row[], path: readonly Link[]): Row[] {
    if (rows.length <= limits.rows) return [...rows];
    const onPath = new Set(path.map(({ span }) => span.row));
    const isFirst = (row: Row) => onPath.has(row.key) || isBad(row);
    const wanted = [...rows.filter(isFirst), ...rows.filter(row => !isFirst(row))].slice(0, limits.rows);
    const kept = new Set(wanted);
    return rows.filter(row => kept.has(row));
}

const isBad = ({ errors, spans }: Row) =>
    errors.some(error => !isStop(error)) || spans.some(({ outcome }) => outcome === "failed");

function titleOf(row: Row, { plan }: Timeline): string {
    if (!row.isNode) return "Other resources";
    const group = groupOf(row, plan);
    const place = row.cluster === undefined ? "" : `${row.cluster}: `;
    if (group === undefined) return `${place}nodes`;
    return `${place}${group === "controlPlane" ? "control plane" : `pool ${group}`}`;
}

const lengthOf = ({ begin, end }: Bar) => end - begin;

const percent = (seconds: number, scale: Scale) => Math.round((seconds / scale.seconds) * 10_000) / 100;

/** A round number of seconds, at most eight of which fit. Pure. */
export function tickOf(seconds: number): number {
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200];
    return steps.find(step => seconds / step <= 8) ?? Math.ceil(seconds / 8 / 86_400) * 86_400;
}

function axis(scale: Scale): Markup {
    const { seconds, tick } = scale;
    const ticks = Array.from({ length: Math.floor(seconds / tick) + 1 }, (_, i) => i * tick);
    const marks = ticks.map(at => {
        const left = percent(at, scale);
        return html`<span${left > 96 ? html` class="last"` : none} style="left:${left}%">${clock(at)}</span>`;
    });
    return html`<div class="axis" aria-hidden="true"><span class="name" style="position:static;transform:none">min:s</span><div class="track">${marks}</div><span class="took" style="position:static;transform:none"></span></div>`;
}

interface RowParts {
    scale: Scale;
    path: readonly Link[];
    waits: readonly Wait[];
    names: ReadonlyMap<string, string>;
}

const words: Record<Outcome, string> = { done: "done", failed: "failed", unfinished: "not finished" };
const marks: Record<Outcome, string> = { done: "", failed: "✖ ", unfinished: "… " };

function rowOf(row: Row, parts: RowParts): Markup {
    const { scale, path } = parts;
    const outcome = outcomeOf(row);
    const seconds = row.spans.reduce((sum, span) => sum + busySeconds(span), 0);
    const type = row.isNode ? none : html` <small>${short(row.spans[0]?.resource ?? "", 60)}</small>`;
    const links = path.filter(({ span }) => span.row === row.key);
    const onPath = links.length > 0 ? html`<span class="hidden">, on the critical path</span>` : none;
    const name = short(row.name, 80);
    return html`<details class="row"><summary><span class="name" title="${name}">${name}${type}</span><div class="track" aria-hidden="true">${row.spans.map(span => spanOf(span, scale))}${links.map(({ from, until }) => block("path", from, until, scale))}</div><span class="took ${outcome === "failed" ? "failed" : ""}">${marks[outcome]}${words[outcome]} ${duration(seconds)}${onPath}</span></summary><div class="inside">${inside(row, parts)}</div></details>
`;
}

function outcomeOf(row: Row): Outcome {
    if (isBad(row)) return "failed";
    return row.spans.some(({ outcome }) => outcome === "unfinished") ? "unfinished" : "done";
}

function spanOf(span: Span, scale: Scale): Markup {
    const bars = span.bars.filter(bar => isDrawn(bar, scale));
    const own =
        bars.length > 0
            ? "span"
            : span.outcome === "failed"
              ? "bad"
              : span.outcome === "unfinished"
                ? "open"
                : "status";
    return html`${block(own, span.begin, span.end, scale)}${bars.map(bar => block(classOf(bar, span), bar.begin, bar.end, scale, `${short(bar.title, 60)}, ${duration(lengthOf(bar))}`))}`;
}

function isDrawn(bar: Bar, { shortest }: Scale): boolean {
    return bar.outcome !== "done" || lengthOf(bar) > shortest;
}

function classOf({ kind, outcome }: Bar, { resource }: Span): string {
    if (outcome !== "done") return outcome === "failed" ? "bad" : "open";
    return kind === "step" && resource === "Host" ? "host" : kind;
}

function block(kind: string, from: number, until: number, scale: Scale, title?: string): Markup {
    const left = Math.min(percent(from, scale), 99.8);
    const width = Math.round(percent(until - from, scale) * 100) / 100;
    return html`<i class="${kind}" style="left:${left}%;width:${width}%"${title === undefined ? none : html` title="${title}"`}></i>`;
}

/** The table that says what the bars show. */
function inside(row: Row, { waits, names }: RowParts): Markup {
    const bars = row.spans.flatMap(span => span.bars.map(bar => ({ span, bar })));
    const long = bars.filter(({ bar }) => lengthOf(bar) >= 1 || bar.outcome !== "done");
    const acts = row.spans.map(({ resource, act, begin, end, outcome }) => [
        `${short(resource, 60)}: ${act}`,
        clock(begin),
        duration(end - begin),
        words[outcome],
    ]);
    const steps = long
        .slice(0, limits.stepsOfRow)
        .map(({ bar }) => [short(bar.title, 120), clock(bar.begin), duration(lengthOf(bar)), barWords(bar)]);
    const brief = bars.length - Math.min(long.length, limits.stepsOfRow);
    const held = waits.map(wait => [
        names.get(wait.for.row) ?? wait.for.row,
        clock(wait.from),
        duration(wait.until - wait.from),
        short(wait.reason),
    ]);
    return html`${table("Acts", ["what", "begins", "takes", "end"], acts)}${table("Steps", ["step", "begins", "takes", "end"], steps)}${when(brief > 0, () => html`<p class="quiet">${brief} more steps, of less than a second each${long.length > limits.stepsOfRow ? ", or too many to show" : ""}.</p>`)}${table("Waited for", ["node or resource", "from", "for", "because"], held)}${row.errors.map(error => html`<p class="${isStop(error) ? "warn" : "failed"}">${isStop(error) ? "■" : "✖"} ${error.code ?? "error"}: ${short(error.text, 300)}</p>`)}`;
}

function barWords({ outcome, kind, words: said }: Bar): string {
    const end = kind === "wait" ? "waited" : words[outcome];
    return said === undefined || said === "" ? end : `${end}: ${short(said, 120)}`;
}

import { isBookkeeping } from "../plan/planned-resources";
import { clock, duration } from "../timeline/clock";
import { isOnlyLookedAt, nodesText } from "../timeline/happened";
import type { Row } from "../timeline/spans";
import { groupOf, type Timeline } from "../timeline/timeline";
import type { Link, Wait } from "../timeline/waits";
import { html, type Markup, none, when } from "./markup";
import { isBad, lengthOf, type RowParts, rowOf, typeOf } from "./rows";
import { block, percent, type Scale, tickOf } from "./scale";

/** More than these would make the page slow; what is left out is said. */
export const limits = { rows: 400, bars: 6000 };

/** Nodes and resources as rows, what was done to them as bars: what failed first, then what changed; what was only looked at is folded. */
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
    const parts: RowParts = { scale, path, waits, names: new Map(rows.map(row => [row.key, row.name])) };
    const titles = [...new Set(shown.map(row => titleOf(row, timeline)))].sort((a, b) => rankOf(a) - rankOf(b));
    const inGroup = (title: string) => shown.filter(row => titleOf(row, timeline) === title);
    const left = rows.length - shown.length;
    const label = Math.max(...shown.map(row => row.name.length + (row.isNode ? 0 : typeOf(row).length + 1)));
    return html`<section aria-labelledby="timeline"><h2 id="timeline" tabindex="-1">Timeline</h2>
${legend}
<div class="chart" style="--tick:${percent(scale.tick, scale)}%;--name:${Math.min(18, Math.max(6, 0.5 * label + 1.6))}rem">
${axis(scale)}
${start(shown, scale)}${titles.map(title => group(title, inGroup(title), parts))}</div>
${when(left > 0, () => html`<p class="quiet">${left} more rows are left out: the page would be too long. Rows that failed and those of the critical path are shown.</p>`)}
${when(scale.shortest > 0.5, () => html`<p class="quiet">Only bars longer than ${Math.round(scale.shortest)} s are drawn: there are too many.</p>`)}
${when(plan === undefined, () => html`<p class="quiet">The plan of this run is not in the events, so the groups of nodes are not known.</p>`)}</section>
`;
}

const legend = html`<ul class="legend" aria-label="Legend"><li><i class="host"></i>prepares a machine</li><li><i class="step"></i>step of a node</li><li><i class="status"></i>other work</li><li><i class="look"></i>looks</li><li><i class="wait"></i>waits for its turn</li><li><i class="bad"></i>failed</li><li><i class="open"></i>not finished</li><li><i class="path"></i>critical path</li></ul>
<p class="quiet">A row opens to its steps as a table. Times have whole seconds; steps of less than a second are not drawn.</p>`;

const [failed, others, looked, internals] = [
    "Failed",
    "Other resources",
    "Only looked at",
    "Internal resources",
] as const;

/** Failures first, folded groups last; between them in the order of the rows. */
const rankOf = (title: string) =>
    ([others, looked, internals] as string[]).indexOf(title) + (title === failed ? -2 : 0);

function titleOf(row: Row, { plan }: Timeline): string {
    if (isBad(row)) return failed;
    if (isOnlyLookedAt(row)) return looked;
    if (!row.isNode) return isBookkeeping(row.spans[0]?.resource ?? "") ? internals : others;
    const of = groupOf(row, plan);
    const place = row.cluster === undefined ? "" : `${row.cluster}: `;
    if (of === undefined) return `${place}nodes`;
    return `${place}${of === "controlPlane" ? "control plane" : `pool ${of}`}`;
}

function group(title: string, rows: readonly Row[], parts: RowParts): Markup {
    const body = rows.map(row => rowOf(row, parts));
    if (title !== looked && title !== internals)
        return html`<div class="group"><h3 class="${title === failed ? "failed" : ""}">${title} <small>${rows.length}</small></h3>
${body}</div>
`;
    return html`<details class="group fold"><summary><h3>${title} <small>${folded(rows)}</small></h3></summary>
${body}</details>
`;
}

/** What a folded group holds: "7 nodes, ClusterId, OperationStart". */
function folded(rows: readonly Row[]): string {
    const nodes = rows.filter(({ isNode }) => isNode).map(({ name }) => ({ node: name, group: "" }));
    const types = [...new Set(rows.filter(({ isNode }) => !isNode).map(row => typeOf(row).split(":").at(-1)!))];
    const more = types.length - 5;
    const some = more > 1 ? [...types.slice(0, 5), `${more} more kinds`] : types;
    const ofNodes = nodes.length === 0 ? [] : [nodes.length > 3 ? `${nodes.length} nodes` : nodesText(nodes)];
    return [...ofNodes, ...some].join(", ");
}

/** Failures and the critical path first, then as many others as there is room; in their former order. */
function chosen(rows: readonly Row[], path: readonly Link[]): Row[] {
    if (rows.length <= limits.rows) return [...rows];
    const onPath = new Set(path.map(({ span }) => span.row));
    const isFirst = (row: Row) => onPath.has(row.key) || isBad(row);
    const wanted = [...rows.filter(isFirst), ...rows.filter(row => !isFirst(row))].slice(0, limits.rows);
    const kept = new Set(wanted);
    return rows.filter(row => kept.has(row));
}

function axis(scale: Scale): Markup {
    const { seconds, tick } = scale;
    const ticks = Array.from({ length: Math.floor(seconds / tick) + 1 }, (_, i) => i * tick);
    const marks = ticks.map(at => {
        const left = percent(at, scale);
        return html`<span${left > 96 ? html` class="last"` : none} style="left:${left}%">${clock(at)}</span>`;
    });
    return html`<div class="axis" aria-hidden="true"><b class="name">min:s</b><div class="track">${marks}</div><b class="took"></b></div>`;
}

/** The time before the first bar. */
function start(rows: readonly Row[], scale: Scale): Markup {
    const first = Math.min(...rows.flatMap(({ spans }) => spans.map(({ begin }) => begin)));
    if (!(first >= 1)) return none;
    return html`<div class="row start"><div class="line"><span class="name">Pulumi <small>starts, runs the program, compares</small></span><div class="track" aria-hidden="true">${block("look", 0, first, scale)}</div><span class="took">${duration(first)}</span></div></div>
`;
}

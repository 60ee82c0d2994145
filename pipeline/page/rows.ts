import { clock, duration } from "../timeline/clock";
import { type Bar, isStop, type Outcome, type Row, type Span } from "../timeline/spans";
import { actedSeconds } from "../timeline/timeline";
import type { Link, Wait } from "../timeline/waits";
import { html, type Markup, none, short, table, when } from "./markup";
import { block, type Scale } from "./scale";

export const mostSteps = 60;

export interface RowParts {
    scale: Scale;
    path: readonly Link[];
    waits: readonly Wait[];
    names: ReadonlyMap<string, string>;
}

const words: Record<Outcome, string> = { done: "done", failed: "failed", unfinished: "not finished" };
const marks: Record<Outcome, string> = { done: "", failed: "✖ ", unfinished: "… " };

/** A node or resource, which opens to a table of what its bars show. */
export function rowOf(row: Row, parts: RowParts): Markup {
    const { scale, path } = parts;
    const outcome = outcomeOf(row);
    const seconds = actedSeconds(row);
    const type = row.isNode ? none : html` <small>${typeOf(row)}</small>`;
    const links = path.filter(({ span }) => span.row === row.key);
    const onPath = links.length > 0 ? html`<span class="hidden">, on the critical path</span>` : none;
    return html`<details class="row"><summary><span class="name">${short(row.name, 120)}${type}</span><div class="track" aria-hidden="true">${row.spans.map(span => spanOf(span, scale))}${links.map(({ from, until }) => block("path", from, until, scale))}</div><span class="took ${outcome === "failed" ? "failed" : ""}">${marks[outcome]}${outcome === "done" ? none : `${words[outcome]} `}${duration(seconds)}${onPath}</span></summary><div class="inside">${inside(row, parts)}</div></details>
`;
}

export const typeOf = ({ spans }: Row): string => short(spans[0]?.resource ?? "", 80);

export const isBad = ({ errors, spans }: Row): boolean =>
    errors.some(error => !isStop(error)) || spans.some(({ outcome }) => outcome === "failed");

function outcomeOf(row: Row): Outcome {
    if (isBad(row)) return "failed";
    return row.spans.some(({ outcome }) => outcome === "unfinished") ? "unfinished" : "done";
}

export const lengthOf = ({ begin, end }: Bar): number => end - begin;

/** A resource without steps is one bar. */
function ownClass({ act, outcome }: Span): string {
    if (outcome !== "done") return outcome === "failed" ? "bad" : "open";
    return act === "read" ? "look" : "status";
}

function spanOf(span: Span, scale: Scale): Markup {
    const bars = span.bars.filter(bar => bar.outcome !== "done" || lengthOf(bar) > scale.shortest);
    const own = bars.length > 0 ? "span" : ownClass(span);
    return html`${block(own, span.begin, span.end, scale)}${bars.map(bar => block(classOf(bar, span), bar.begin, bar.end, scale, `${short(bar.title, 60)}, ${duration(lengthOf(bar))}`))}`;
}

function classOf({ kind, outcome }: Bar, { resource }: Span): string {
    if (outcome !== "done") return outcome === "failed" ? "bad" : "open";
    return kind === "step" && resource === "Host" ? "host" : kind;
}

function inside(row: Row, { waits, names }: RowParts): Markup {
    const bars = row.spans.flatMap(span => span.bars.map(bar => ({ span, bar })));
    const long = bars.filter(({ bar }) => lengthOf(bar) >= 1 || bar.outcome !== "done");
    const acts = row.spans.map(({ resource, act, begin, end, outcome }) => [
        `${short(resource, 80)}: ${act}`,
        clock(begin),
        duration(end - begin),
        words[outcome],
    ]);
    const steps = long
        .slice(0, mostSteps)
        .map(({ bar }) => [short(bar.title, 120), clock(bar.begin), duration(lengthOf(bar)), barWords(bar)]);
    const brief = bars.length - Math.min(long.length, mostSteps);
    const held = waits
        .filter(wait => wait.row === row.key)
        .map(wait => [
            names.get(wait.for.row) ?? wait.for.row,
            clock(wait.from),
            duration(wait.until - wait.from),
            short(wait.reason),
        ]);
    return html`${row.errors.map(error => html`<p class="${isStop(error) ? "warn" : "failed"}">${isStop(error) ? "■" : "✖"} ${error.code ?? "error"}: ${short(error.text, 300)}</p>`)}${table("Acts", ["what", "begins", "takes", "end"], acts)}${table("Steps", ["step", "begins", "takes", "end"], steps)}${when(brief > 0, () => html`<p class="quiet">${brief} more steps, of less than a second each${long.length > mostSteps ? ", or too many to show" : ""}.</p>`)}${table("Waited for", ["node or resource", "from", "for", "because"], held)}`;
}

function barWords({ outcome, kind, words: said }: Bar): string {
    const end = kind === "wait" ? "waited" : words[outcome];
    return said === undefined || said === "" ? end : `${end}: ${short(said, 120)}`;
}

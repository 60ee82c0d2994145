import { listed } from "../../provider/operation/names";
import { aboutSeconds } from "../outlook/estimate";
import { clock, duration } from "../timeline/clock";
import { comparedNodes } from "../timeline/comparison";
import type { Timeline } from "../timeline/timeline";
import { type Link, type Wait, waitGroups } from "../timeline/waits";
import { html, type Markup, none, short, table } from "./markup";
import { folded, more, most, section } from "./section";

/** What decided how long it took, and what each part waited for. */
export function pathSection(path: readonly Link[], names: ReadonlyMap<string, string>): Markup {
    if (path.length === 0) return none;
    const rows = path.map(({ span, from, until }) => {
        const longest = [...span.bars]
            .filter(({ begin, end }) => begin >= from - 1 && end <= until + 1)
            .sort((a, b) => b.end - b.begin - (a.end - a.begin))[0];
        const step =
            longest && longest.end - longest.begin >= 1
                ? `${short(longest.title, 80)}, ${duration(longest.end - longest.begin)}`
                : "";
        return [
            names.get(span.row) ?? "",
            `${short(span.resource, 60)}: ${span.act}`,
            clock(from),
            duration(until - from),
            step,
        ];
    });
    return folded(
        "path",
        "Critical path",
        html`<p class="quiet">The chain of acts that decided how long the run took: each one began when the one before it ended. It follows from which resource waits for which; for resources of other packages, from the times alone.</p>
${table("In order of time", ["node or resource", "act", "begins", "takes", "longest step"], rows)}`,
    );
}

export function waitsSection(waits: readonly Wait[], names: ReadonlyMap<string, string>): Markup {
    if (waits.length === 0) return none;
    const groups = waitGroups(waits);
    const rows = groups
        .slice(0, most.waits)
        .map(group => [
            listed(group.rows.map(key => names.get(key) ?? "")),
            names.get(group.for.row) ?? "",
            clock(group.from),
            duration(group.until - group.from),
            short(group.reason),
        ]);
    return folded(
        "waits",
        "What waited for what",
        html`${table("The longest first", ["nodes", "waited for", "from", "for", "because"], rows)}${more(groups.length, most.waits, "waits")}`,
    );
}

export function comparison(timeline: Timeline): Markup {
    const { plan, seconds, result } = timeline;
    const { lastRun, estimate } = plan ?? {};
    const nodes = comparedNodes(timeline);
    if (lastRun === undefined && estimate === undefined && nodes.length === 0) return none;
    const ended = result === "succeeded" || result === "failed";
    const whole = [
        ...(lastRun
            ? [
                  `The last run with the same operations, on ${short(lastRun.began, 10)}, took ${duration(lastRun.seconds)}.`,
              ]
            : []),
        ...(estimate
            ? [
                  `Such a run usually takes ${aboutSeconds(estimate.seconds)} (median of former times; ${estimate.runs} ${estimate.runs === 1 ? "run" : "runs"}).`,
              ]
            : []),
        ...(ended ? [`This one took ${duration(seconds)}.`] : []),
    ];
    const time = (value: number | undefined) => (value === undefined ? "not recorded" : duration(value));
    const rows = nodes
        .slice(0, most.nodes)
        .map(({ node, seconds: took, usual, last }) => [
            short(node, 80),
            duration(took),
            time(last),
            time(usual),
            difference(took, last ?? usual),
        ]);
    return section(
        "comparison",
        "Compared with former runs",
        html`${whole.map(
            text => html`<p>${text}</p>
`,
        )}${table("Nodes, those first that differ most; without the time in which they waited for their turn", ["node", "this run", "last run", "usually", "difference"], rows)}${more(nodes.length, most.nodes, "nodes")}`,
    );
}

function difference(took: number, former: number | undefined): string {
    const seconds = Math.round(took - (former ?? took));
    if (seconds === 0) return "same";
    return seconds > 0 ? `${duration(seconds)} longer` : `${duration(-seconds)} shorter`;
}

export function phasesSection({ phases }: Timeline): Markup {
    if (phases.length === 0) return none;
    const rows = phases.slice(0, most.phases).map(({ title, at }) => [short(title, 200), clock(at)]);
    return folded(
        "phases",
        "Phases",
        html`<p class="quiet">When the first resource of each phase began; phases that do not wait for each other run at the same time.</p>
${table("In order of time", ["phase", "began"], rows)}`,
    );
}

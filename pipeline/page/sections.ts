import { listed } from "../../provider/lifecycle/names";
import type { ErrorEvent } from "../events";
import { changeText, groupedNodes, ranges } from "../grouped-nodes";
import { resultOf } from "../headline";
import { internalText, partedResources } from "../internal-resources";
import { aboutSeconds } from "../outlook/estimate";
import { outlookLines } from "../outlook/text";
import type { Plan } from "../plan";
import { interruptionText, messageText, uncoveredText } from "../text";
import { comparedNodes } from "../timeline/comparison";
import { happened } from "../timeline/happened";
import { isOfPods, objectStates } from "../timeline/objects";
import { isStop } from "../timeline/spans";
import type { Timeline } from "../timeline/timeline";
import { type Link, type Wait, waitGroups } from "../timeline/waits";
import { clock, duration, endOf, html, type Markup, none, short, table, when } from "./markup";

const most = {
    errors: 50,
    waits: 100,
    nodes: 400,
    objects: 200,
    messages: 100,
    resources: 200,
    phases: 80,
    hooks: 100,
};

function section(id: string, title: string, body: Markup): Markup {
    return html`<section aria-labelledby="${id}"><h2 id="${id}" tabindex="-1">${title}</h2>
${body}</section>
`;
}

/** For those who want to know more. */
function folded(id: string, title: string, body: Markup): Markup {
    return html`<details class="fold section"><summary><h2 id="${id}" tabindex="-1">${title}</h2></summary>
${body}</details>
`;
}

const more = (all: number, shown: number, what: string) =>
    when(all > shown, () => html`<p class="quiet">${all - shown} more ${what} are left out.</p>`);

const ends = { done: "✔", failed: "✖ failed", unfinished: "… not finished", untouched: "not begun" };
const tones = { done: "done", failed: "failed", unfinished: "warn", untouched: "quiet" };

const mostNames = 12;

/** What the run did to nodes, failures first. */
export function changesSection(timeline: Timeline): Markup {
    const all = timeline.result === "previewed" ? [] : happened(timeline);
    if (all.every(({ outcome }) => outcome === "untouched")) return none;
    const several = Object.keys(timeline.plan?.groups ?? {}).length > 1;
    const rows = all.slice(0, most.nodes).map(({ cluster, what, outcome, nodes, seconds }) => {
        const names = nodes.map(({ node }) => short(node, 80));
        const left = names.length - mostNames;
        const some = left > 1 ? `${names.slice(0, mostNames).join(", ")} and ${left} more` : names.join(", ");
        return [
            several ? `${short(cluster, 60)}: ${some}` : some,
            short(what, 300),
            html`<span class="${tones[outcome]}">${ends[outcome]}</span>`,
            outcome === "untouched" ? "" : duration(seconds),
        ];
    });
    return section(
        "changes",
        timeline.errors.length > 0 ? "What was done" : "What changed",
        html`${table("Nodes, together where the same happened to them; the time is that of the one that took longest", ["nodes", "what", "end", "took"], rows)}${more(all.length, most.nodes, "rows")}`,
    );
}

/** Hooks that have run, with the end of what their scripts printed. */
export function hooksSection({ hooks }: Timeline): Markup {
    if (hooks.length === 0) return none;
    const rows = hooks
        .slice(0, most.hooks)
        .map(({ hook, event, state, seconds, output }) => [
            short(hook, 80),
            short(event, 60),
            html`<span class="${state}">${state === "done" ? "✔ done" : "✖ failed"}</span>`,
            duration(seconds),
            output === undefined ? "" : html`<code>${endOf(output)}</code>`,
        ]);
    return section(
        "hooks",
        "Hooks",
        html`${table("In order of time", ["hook", "event", "end", "took", "printed"], rows)}${more(hooks.length, most.hooks, "hooks")}`,
    );
}

export function failuresTitle(timeline: Timeline): string {
    if (timeline.errors.every(isStop)) return "What was stopped";
    return resultOf(timeline) === "refused" ? "Why it was refused" : "Failures";
}

/** Each with its place, what to do, and the end of its output. */
export function failures(timeline: Timeline): Markup {
    const { errors } = timeline;
    if (errors.length === 0) return none;
    const isCalm = (error: ErrorEvent) => isStop(error) || resultOf(timeline) === "refused";
    const items = errors.slice(0, most.errors).map(error => {
        const { node, step, code, text, hint } = error;
        const place = [node, step, code].filter(each => each !== undefined).map(each => short(each, 120));
        return html`<article class="${isCalm(error) ? "warn" : ""}"><h3><span class="${isCalm(error) ? "warn" : "failed"}">${isStop(error) ? "■" : isCalm(error) ? "⊘" : "✖"} ${place.join(": ") || "error"}</span></h3>
<pre tabindex="0" aria-label="What was seen">${endOf(text)}</pre>
${
    hint === undefined
        ? none
        : html`<p>What to do: ${short(hint, 1000)}</p>
`
}</article>
`;
    });
    return section(
        "failures",
        `${failuresTitle(timeline)} (${errors.length})`,
        html`${items}${more(errors.length, most.errors, "failures")}`,
    );
}

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
        html`<p class="quiet">The chain of acts that decided how long the run took: each one began when the one before it ended. It follows from the order of the phases, and for resources of no phase from the times alone.</p>
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

const readiness = { done: "✔ done", failed: "✖ failed", unfinished: "… not finished" };

export function objectsSection(timeline: Timeline): Markup {
    const states = objectStates(timeline);
    if (states.length === 0) return none;
    const rows = states
        .slice(0, most.objects)
        .map(({ name, resource, outcome, seconds, last, pods }) => [
            short(name, 120),
            short(resource, 80),
            readiness[outcome],
            duration(seconds),
            short(last ?? "", 200),
            short(pods ?? "", 1000),
        ]);
    return section(
        "objects",
        "Kubernetes objects",
        html`${table("What was made or awaited in clusters", ["name", "kind", "end", "took", "last said", "pods"], rows)}${more(states.length, most.objects, "objects")}`,
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

/** `isDone`: of a run, where what happened says more. */
export function planSection(plan: Plan, isDone: boolean): Markup {
    const { nodes, warnings } = plan;
    const isTimed = nodes.some(({ usualSeconds }) => usualSeconds !== undefined);
    const groups = groupedNodes(nodes);
    const rows = groups
        .slice(0, most.nodes)
        .map(each => [
            `${short(each.cluster, 60)}/${short(ranges(each.nodes), 300)}`,
            `${short(each.group, 60)}${each.nodes.length > 1 ? ` (${each.nodes.length})` : ""}`,
            each.change === "changes" ? short(each.steps.join(", "), 300) : changeText(each),
            short(each.disruptions.join("; "), 300) || "no",
            ...(isTimed ? [each.usualSeconds === undefined ? "unknown" : aboutSeconds(each.usualSeconds)] : []),
        ]);
    const heads = ["nodes", "group", "what happens", "disruptive", ...(isTimed ? ["usual duration"] : [])];
    const parted = partedResources(plan);
    const others = parted.others
        .slice(0, most.resources)
        .map(({ name, type, act }) => [short(name, 120), short(type, 100), act]);
    return (isDone ? folded : section)(
        "plan",
        "Plan",
        html`${[
            ...outlookLines(plan),
            ...(plan.interrupts ?? []).map(interruptionText),
            ...(plan.uncovered ?? []).map(uncoveredText),
        ].map(
            line => html`<p>${short(line, 500)}</p>
`,
        )}${table("Nodes", heads, rows)}${more(groups.length, most.nodes, "rows")}${table("Other resources", ["name", "type", "act"], others)}${more(parted.others.length, most.resources, "resources")}${when(parted.internals.length > 0, () => html`<p class="quiet">Internal resources: ${short(internalText(parted.internals), 500)}</p>`)}${warnings
            .slice(0, most.messages)
            .map(
                text => html`<p><span class="warn">⚠ warning:</span> ${short(text, 500)}</p>
`,
            )}`,
    );
}

export function messagesSection({ messages, plan }: Timeline): Markup {
    const others = messages.filter(
        message => !isOfPods(message) && !(plan?.warnings ?? []).includes(messageText(message)),
    );
    if (others.length === 0) return none;
    const rows = others
        .slice(0, most.messages)
        .map(({ severity, node, text }) => [
            severity === "warning" ? "⚠ warning" : "information",
            short(node ?? "", 80),
            html`<span class="lines">${endOf(text, 20)}</span>`,
        ]);
    return section(
        "messages",
        "Messages",
        html`${table("In order of time", ["kind", "node", "text"], rows)}${more(others.length, most.messages, "messages")}`,
    );
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

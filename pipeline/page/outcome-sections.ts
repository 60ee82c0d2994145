import type { ErrorEvent } from "../events/events";
import { resultOf } from "../report/headline";
import { messageText } from "../report/text";
import { duration } from "../timeline/clock";
import { happened } from "../timeline/happened";
import { isOfPods, objectStates } from "../timeline/objects";
import { isStop } from "../timeline/spans";
import type { Timeline } from "../timeline/timeline";
import { endOf, html, type Markup, none, short, table } from "./markup";
import { more, most, section } from "./section";

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

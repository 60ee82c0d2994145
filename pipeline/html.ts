import type { PipelineEvent } from "./events";
import { unfinishedHow } from "./failure";
import { chart } from "./page/chart";
import { duration, html, Markup, none, short, when } from "./page/markup";
import {
    comparison,
    failures,
    failuresTitle,
    messagesSection,
    objectsSection,
    pathSection,
    phasesSection,
    planSection,
    waitsSection,
} from "./page/sections";
import { style } from "./page/style";
import { isEmpty } from "./plan";
import { criticalPath } from "./timeline/critical-path";
import type { Row } from "./timeline/spans";
import { type Timeline, timelineOf } from "./timeline/timeline";
import { Waits } from "./timeline/waits";

/**
 * A page with the timeline of a run: what happened to which node and when, the critical path, what waited for what, failures, objects of Kubernetes, and former
 * runs. One file that loads nothing and runs no script. Of several runs in the events the last one counts. Pure.
 */
export function htmlReport(events: readonly PipelineEvent[]): string {
    const timeline = timelineOf(events);
    const known = new Waits(timeline);
    const path = criticalPath(timeline, known);
    const waits = known.all();
    const names = new Map(timeline.rows.map(row => [row.key, nameOf(row)]));
    const parts: [string, string, Markup][] = [
        ["failures", failuresTitle(timeline), failures(timeline)],
        ["timeline", "Timeline", chart(timeline, path, waits)],
        ["path", "Critical path", pathSection(path, names)],
        ["waits", "Waits", waitsSection(waits, names)],
        ["objects", "Kubernetes objects", objectsSection(timeline)],
        ["comparison", "Former runs", comparison(timeline)],
        ["plan", "Plan", timeline.plan && !isEmpty(timeline.plan) ? planSection(timeline.plan) : none],
        ["phases", "Phases", phasesSection(timeline)],
        ["messages", "Messages", messagesSection(timeline)],
    ];
    const shown = parts.filter(([, , markup]) => markup !== none);
    const title = headline(timeline);
    const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>
${styleSheet}
</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>${title}</h1>
${facts(timeline)}</header>
<nav aria-label="Sections"><ul>${shown.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main id="content" tabindex="-1">
${shown.map(([, , markup]) => markup)}${when(
    shown.length === 0,
    () => html`<p>Nothing changes, and nothing was done.</p>
`,
)}</main>
<footer><p>Made by pulumi-nfv of the events of the run. Times are those of the machine that ran it.</p></footer>
</body>
</html>
`;
    return page.html;
}

/** Several resources of a cluster have its name. */
function nameOf({ name, isNode, spans }: Row): string {
    return isNode ? short(name, 80) : `${short(name, 80)} (${short(spans[0]?.resource ?? "", 60)})`;
}

/** Ours: nothing of a run is in it. */
const styleSheet = new Markup(style);

const results: Record<Timeline["result"], string> = {
    previewed: "preview",
    succeeded: "done",
    failed: "failed",
    running: "not finished",
};

/** A run that somebody stopped, or that was refused, is not broken. */
function resultOf({ result, errors, summary }: Timeline): string {
    return result === "failed" ? unfinishedHow(errors, summary?.preview === false) : results[result];
}

function headline(timeline: Timeline): string {
    const { plan } = timeline;
    const operations = (plan?.operations ?? []).map(
        ({ cluster, text, continues }) => `${cluster}: ${continues ? "goes on with " : ""}${text}`,
    );
    const what =
        operations.join("; ") ||
        (plan === undefined ? "run" : isEmpty(plan) ? "nothing changes" : `${plan.resources.length} resources change`);
    return `${short(what, 300)}: ${resultOf(timeline)}`;
}

const marks: Record<string, string> = { done: "✔ ", failed: "✖ ", stopped: "■ ", refused: "⊘ ", "not finished": "… " };
const tones: Record<string, string> = { done: "done", failed: "failed", preview: "" };

function facts(timeline: Timeline): Markup {
    const { plan, result, seconds, began, errors, rows, summary } = timeline;
    const how = resultOf(timeline);
    const nodes = rows.filter(({ isNode }) => isNode).length;
    const changes = Object.entries(summary?.changes ?? {}).map(([act, count]) => `${short(act, 40)} ${count}`);
    const all: [string, string | Markup][] = [
        [
            "result",
            html`<span class="result ${tones[how] ?? "warn"}">${marks[how] ?? ""}${how}</span>${errors.length > 0 ? `, ${errors.length} ${errors.length === 1 ? "error" : "errors"}` : ""}`,
        ],
        ...(result === "previewed" || how === "refused" ? [] : ([["took", duration(seconds)]] as [string, string][])),
        ["began", short(began.replace("T", " ").replace(/\.\d+Z$/, " UTC"), 40)],
        ...(nodes > 0 ? ([["nodes", String(nodes)]] as [string, string][]) : []),
        ...(changes.length > 0 ? ([["resources", changes.join(", ")]] as [string, string][]) : []),
        ...(plan
            ? ([
                  ["stack", short(plan.stack, 120)],
                  ["plan", short(plan.hash, 64)],
              ] as [string, string][])
            : []),
    ];
    return html`<dl class="facts">${all.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
`;
}

import type { PipelineEvent } from "../events/events";
import { isEmpty } from "../plan/plan";
import { criticalPath } from "../timeline/critical-path";
import type { Row } from "../timeline/spans";
import { timelineOf } from "../timeline/timeline";
import { Waits } from "../timeline/waits";
import { chart } from "./chart";
import { header, titleOf } from "./header";
import { html, Markup, none, short, when } from "./markup";
import {
    changesSection,
    failures,
    failuresTitle,
    hooksSection,
    messagesSection,
    objectsSection,
} from "./outcome-sections";
import { planSection } from "./plan-section";
import { style } from "./style";
import { comparison, pathSection, phasesSection, waitsSection } from "./time-sections";

/**
 * A page with the timeline of a run: what failed or changed, what happened to which node and when, hooks, the critical path, what waited for what, objects of Kubernetes, and
 * former runs. One file that loads nothing and runs no script. Of several runs in the events the last one counts. Pure.
 */
export function htmlReport(events: readonly PipelineEvent[]): string {
    const timeline = timelineOf(events);
    const { plan, result } = timeline;
    const known = new Waits(timeline);
    const path = criticalPath(timeline, known);
    const waits = known.all();
    const names = new Map(timeline.rows.map(row => [row.key, nameOf(row)]));
    const parts: [string, string, Markup][] = [
        ["failures", failuresTitle(timeline), failures(timeline)],
        ["changes", "Changes", changesSection(timeline)],
        ["hooks", "Hooks", hooksSection(timeline)],
        ["timeline", "Timeline", chart(timeline, path, waits)],
        ["objects", "Kubernetes objects", objectsSection(timeline)],
        ["messages", "Messages", messagesSection(timeline)],
        ["comparison", "Former runs", comparison(timeline)],
        ["path", "Critical path", pathSection(path, names)],
        ["waits", "Waits", waitsSection(waits, names)],
        ["plan", "Plan", plan && !isEmpty(plan) ? planSection(plan, result !== "previewed") : none],
        ["phases", "Phases", phasesSection(timeline)],
    ];
    const shown = parts.filter(([, , markup]) => markup !== none);
    const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${titleOf(timeline)}</title>
<style>
${styleSheet}
</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(timeline)}<nav aria-label="Sections"><ul>${shown.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main id="content" tabindex="-1">
${shown.map(([, , markup]) => markup)}${when(
    shown.length === 0,
    () => html`<p>Nothing changes, and nothing was done.</p>
`,
)}</main>
<footer><p>Made by pulumi-nfv of the events of the run. Times are those of the machine that ran it; 0:00 is the begin of Pulumi's run.</p></footer>
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

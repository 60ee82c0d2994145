import { headlineOf, operationsText, type Result, resultOf } from "../report/headline";
import { duration } from "../timeline/clock";
import type { Timeline } from "../timeline/timeline";
import { html, type Markup, none, short } from "./markup";

const marks: Record<Result, string> = {
    ...{ done: "✔", failed: "✖", stopped: "■", refused: "⊘" },
    ...{ preview: "◷", "not finished": "…" },
};
const tones: Record<Result, string> = {
    ...{ done: "done", failed: "failed", stopped: "warn", refused: "warn" },
    ...{ preview: "plain", "not finished": "warn" },
};

export const titleOf = (timeline: Timeline): string => short(headlineOf(timeline), 200);

/** What failed or changed, how the run ended, and what it is known by. */
export function header(timeline: Timeline): Markup {
    const result = resultOf(timeline);
    const { seconds, errors } = timeline;
    const title = titleOf(timeline);
    const asked = short(operationsText(timeline.plan), 300);
    const took = result === "preview" || result === "refused" ? [] : [`took ${duration(seconds)}`];
    const count = errors.length === 0 ? [] : [errors.length === 1 ? "1 error" : `${errors.length} errors`];
    return html`<header class="${tones[result]}">
<p class="state"><span class="result">${marks[result]} ${result}</span>${[...took, ...count].map(text => html`<span>${text}</span>`)}</p>
<h1>${title}</h1>
${asked === "" || title.includes(asked) ? none : html`<p class="asked">${asked}</p>`}
<dl class="facts">${factsOf(timeline).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
`;
}

function factsOf(timeline: Timeline): [string, string][] {
    const { plan, began, rows, summary, about, hooks } = timeline;
    const several = Object.keys(plan?.groups ?? {}).length > 1;
    const ofCluster = (cluster: string, text: string) => short(several ? `${cluster}: ${text}` : text, 200);
    const versions = Object.entries(plan?.wanted ?? {}).flatMap(([cluster, { kubernetesVersion: version }]) =>
        version === undefined ? [] : [ofCluster(cluster, version)],
    );
    const endpoints = Object.entries(plan?.endpoints ?? {}).map(each => ofCluster(...each));
    const changes = Object.entries(summary?.changes ?? {}).map(([act, count]) => `${short(act, 40)} ${count}`);
    const nodes = rows.filter(({ isNode }) => isNode).length;
    const failed = hooks.filter(({ state }) => state === "failed").length;
    const all: [string, string | undefined][] = [
        ["began", began === "" ? undefined : short(began.replace("T", " ").replace(/\.\d+Z$/, " UTC"), 40)],
        ["command", about && `nfv ${short(about.command, 40)}`],
        ["by", about?.by && short(about.by, 80)],
        ["stack", plan && short(plan.stack, 120)],
        ["endpoint", endpoints.join(", ")],
        ["Kubernetes", versions.join(", ")],
        ["pulumi-nfv", about && short(about.package, 40)],
        ["commit", about?.commit && short(about.commit, 60)],
        ["nodes", nodes > 0 ? String(nodes) : undefined],
        [
            "hooks",
            hooks.length === 0 ? undefined : `${hooks.length}${failed > 0 ? `, ${failed} failed` : ", all well"}`,
        ],
        ["resources", changes.join(", ")],
        ["plan", plan && short(plan.hash, 64)],
    ];
    return all.filter((each): each is [string, string] => (each[1] ?? "") !== "");
}

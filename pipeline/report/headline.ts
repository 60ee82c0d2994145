import type { ErrorEvent } from "../events/events";
import { isEmpty, type Plan } from "../plan/plan";
import { type Happened, happened, nodesText } from "../timeline/happened";
import { isStop } from "../timeline/spans";
import type { Timeline } from "../timeline/timeline";
import { unfinishedHow } from "./failure";
import { firstWords } from "./text";

/** How a run ended, in a word. */
export type Result = "preview" | "done" | "failed" | "stopped" | "refused" | "not finished";

const results: Record<Exclude<Timeline["result"], "failed">, Result> = {
    ...{ previewed: "preview", succeeded: "done", running: "not finished" },
};

/** A run that somebody stopped, or that was refused, is not broken. Pure. */
export function resultOf({ result, errors, summary }: Timeline): Result {
    return result === "failed" ? unfinishedHow(errors, summary?.preview === false) : results[result];
}

/** The operations of a plan in a line: "core: scale out workers +1 (w3)". Empty: there are none. Pure. */
export function operationsText(plan: Plan | undefined): string {
    return (plan?.operations ?? [])
        .map(({ cluster, text, continues }) => `${cluster}: ${continues ? "goes on with " : ""}${text}`)
        .join("; ");
}

/** What failed or changed, in a line: "w2: kubelet started again". Pure. */
export function headlineOf(timeline: Timeline): string {
    const result = resultOf(timeline);
    if (result === "done") return changedText(timeline);
    if (result === "preview") return `Plan: ${asked(timeline)}`;
    if (result === "not finished") return `Not finished: ${asked(timeline)}`;
    if (result === "stopped") return `Stopped: ${errorsText(timeline.errors, "")}`;
    if (result === "refused") return `Refused: ${errorsText(timeline.errors, "")}`;
    return errorsText(
        timeline.errors.filter(error => !isStop(error)),
        " failed",
    );
}

function asked({ plan }: Timeline): string {
    const text = operationsText(plan);
    if (text !== "" || plan === undefined) return text || "a run";
    return isEmpty(plan) ? "nothing changes" : `${plan.resources.length} resources change`;
}

const mostParts = 3;

function joined(parts: readonly string[]): string {
    const more = parts.length - mostParts;
    return more > 0 ? `${parts.slice(0, mostParts).join("; ")}; and ${more} more` : parts.join("; ");
}

/** Verbs need no colon: "w3 joined". */
const isVerb = (what: string) => /^(joined|left|moved)\b/.test(what);

function changedText(timeline: Timeline): string {
    const { plan } = timeline;
    const all = happened(timeline).filter(({ outcome }) => outcome === "done");
    if (plan === undefined || all.length === 0)
        return plan !== undefined && isEmpty(plan) ? "Nothing changed" : `Done: ${asked(timeline)}`;
    const several = Object.keys(plan.groups).length > 1;
    const whole = (cluster: string) =>
        plan.operations.find(({ cluster: of, names }) => of === cluster && wholes.some(name => names.includes(name)));
    const clusters = [...new Set(all.map(({ cluster }) => cluster))];
    return joined(
        clusters.flatMap(cluster => {
            const its = all.filter(each => each.cluster === cluster);
            const operation = whole(cluster);
            if (operation === undefined) return its.map(each => `${several ? `${cluster}: ` : ""}${changeText(each)}`);
            const act = operation.names.includes("terminate") ? "was deleted" : "was made";
            return [`${cluster} ${act}: ${nodesText(its.flatMap(({ nodes }) => nodes))}`];
        }),
    );
}

const wholes = ["instantiate", "terminate"] as const;

const changeText = ({ nodes, what }: Happened) => `${nodesText(nodes)}${isVerb(what) ? "" : ":"} ${what}`;

/** Nodes that failed in the same step are named together. */
function errorsText(errors: readonly ErrorEvent[], verb: string): string {
    const byWhat = new Map<string, Set<string>>();
    for (const { node, step, code, text } of errors) {
        const what = node === undefined ? reasonIn(text) : (step ?? code ?? reasonIn(text));
        byWhat.set(what, (byWhat.get(what) ?? new Set<string>()).add(node ?? ""));
    }
    const parts = [...byWhat].map(([what, names]) => {
        const nodes = [...names].filter(name => name !== "").map(node => ({ node, group: "" }));
        if (nodes.length === 0) return what;
        const some = nodes.length > mostNodes ? `${nodes.length} nodes` : nodesText(nodes);
        return `${some}${verb}: ${what}`;
    });
    return joined(parts) || "The run failed";
}

/** A guard's words begin with what was asked, which stands elsewhere. */
const reasonIn = (text: string) => firstWords(text).replace(/^[a-z]+, plan [0-9a-f]{24}: /, "");

const mostNodes = 3;

import { doneWords } from "../../provider/machine/cure-words";
import { listed } from "../../provider/operation/names";
import type { Plan } from "../plan/plan";
import { type Change, type PlannedNode, switchesVersion } from "../plan/planned-nodes";
import { isStop, type Outcome, type Row } from "./spans";
import { actedSeconds, type Timeline } from "./timeline";

/** What happened to nodes, in words, with all nodes to which the same happened. */
export interface Happened {
    cluster: string;
    /** "joined", "kubelet started again"; where it failed or did not end the step, such as "join the cluster". */
    what: string;
    /** `untouched`: its turn did not come. */
    outcome: Outcome | "untouched";
    nodes: PlannedNode[];
    /** Of the node that took longest, without the time in which it waited for its turn. */
    seconds: number;
}

const rank: Record<Happened["outcome"], number> = { failed: 0, unfinished: 1, done: 2, untouched: 3 };

/** What the run did to the nodes of its plan, failures first. Pure. */
export function happened({ plan, rows }: Timeline): Happened[] {
    const found = new Map<string, Happened>();
    for (const node of plan?.nodes ?? []) {
        const row = rows.find(each => isOf(each, node));
        const outcome = outcomeOf(row);
        const what = outcome === "done" ? wordsOf(node, row!, plan!) : (stepOf(row) ?? planned[node.change]);
        const key = JSON.stringify([node.cluster, outcome, what]);
        const known = found.get(key) ?? { cluster: node.cluster, what, outcome, nodes: [], seconds: 0 };
        const seconds = row === undefined ? 0 : actedSeconds(row);
        found.set(key, { ...known, nodes: [...known.nodes, node], seconds: Math.max(known.seconds, seconds) });
    }
    return [...found.values()].sort((a, b) => rank[a.outcome] - rank[b.outcome]);
}

const isOf = ({ isNode, name, cluster }: Row, node: PlannedNode) =>
    isNode && name === node.node && (cluster ?? node.cluster) === node.cluster;

/** Whether nothing was done to it: a refresh reads all nodes. Pure. */
export const isOnlyLookedAt = ({ spans, errors }: Row): boolean =>
    errors.length === 0 && spans.every(({ act, outcome }) => act === "read" && outcome === "done");

function outcomeOf(row: Row | undefined): Happened["outcome"] {
    if (row === undefined || isOnlyLookedAt(row)) return "untouched";
    if (row.errors.some(error => !isStop(error)) || row.spans.some(({ outcome }) => outcome === "failed"))
        return "failed";
    return row.spans.some(({ outcome }) => outcome === "unfinished") ? "unfinished" : "done";
}

const planned: Record<Change, string> = {
    ...{ joins: "joins", leaves: "leaves", rejoins: "joins again", changes: "changes" },
    "new machine": "joins on a new machine",
};

const past: Partial<Record<Change, string>> = {
    ...{ joins: "joined", leaves: "left", rejoins: "joined again" },
    "new machine": "joined on a new machine",
};

const mostSteps = 3;

function wordsOf(node: PlannedNode, row: Row, { wanted }: Plan): string {
    const whole = past[node.change];
    if (whole !== undefined) return whole;
    const version = wanted[node.cluster]?.kubernetesVersion;
    if (switchesVersion(node) && version !== undefined) return `moved to Kubernetes ${version}`;
    const cured = node.steps.flatMap(({ title }) => doneWords(title) ?? []);
    if (cured.length > 0) return cured.join(", ");
    const steps = [...new Set(stepsIn(row).map(({ title }) => title))];
    const more = steps.length - mostSteps;
    if (more > 1) return `${steps.slice(0, mostSteps).join(", ")} and ${more} more steps`;
    return steps.join(", ") || "changed";
}

const stepsIn = ({ spans }: Row) =>
    spans.filter(({ act }) => act !== "read").flatMap(({ bars }) => bars.filter(({ kind }) => kind === "step"));

/** Where it failed or was stopped. */
function stepOf(row: Row | undefined): string | undefined {
    if (row === undefined) return undefined;
    return (
        row.errors[0]?.step ??
        stepsIn(row)
            .filter(({ outcome }) => outcome !== "done")
            .at(-1)?.title
    );
}

const mostNames = 3;

/** "w1, w2"; of more "3 control-plane nodes and 4 workers". Pure. */
export function nodesText(nodes: readonly Pick<PlannedNode, "node" | "group">[]): string {
    if (nodes.length <= mostNames) return listed(nodes.map(({ node }) => node));
    const groups = [...new Set(nodes.map(({ group }) => group))];
    const parts = groups.map(group => countText(group, nodes.filter(each => each.group === group).length));
    return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function countText(group: string, count: number): string {
    const nodes = count === 1 ? "node" : "nodes";
    if (group === "controlPlane") return `${count} control-plane ${nodes}`;
    return group === "workers"
        ? `${count} ${count === 1 ? "worker" : "workers"}`
        : `${count} ${nodes} of pool ${group}`;
}

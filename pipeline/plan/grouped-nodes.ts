import { inOrderOfRun } from "../../provider/cluster/known-steps";
import { inNaturalOrder, naturally } from "../../provider/operation/names";
import type { Change, PlannedNode } from "./planned-nodes";

/** Nodes of a cluster's group to which the same happens. */
export interface NodeGroup extends Omit<PlannedNode, "node" | "steps" | "replaces"> {
    /** In natural order. */
    nodes: string[];
    /** Titles, in the order in which they run. */
    steps: string[];
}

/** Equal nodes of a plan together, in their order. Pure. */
export function groupedNodes(nodes: readonly PlannedNode[]): NodeGroup[] {
    const groups = new Map<string, NodeGroup>();
    for (const { node, steps: all, replaces: _, ...same } of nodes) {
        const steps = inOrderOfRun(all).map(({ title }) => title);
        const key = JSON.stringify([same, steps]);
        const known = groups.get(key) ?? { ...same, steps, nodes: [] };
        groups.set(key, { ...known, nodes: [...known.nodes, node] });
    }
    return [...groups.values()].sort(
        (a, b) => inNaturalOrder(a.cluster, b.cluster) || inNaturalOrder(a.nodes[0]!, b.nodes[0]!),
    );
}

const many: Record<Change, string> = {
    ...{ joins: "join", leaves: "leave", rejoins: "rejoin", changes: "change" },
    "new machine": "get new machines",
};

/** "joins", of several "join". Pure. */
export const changeText = ({ change, nodes }: Pick<NodeGroup, "change" | "nodes">): string =>
    nodes.length > 1 ? many[change] : change;

/** So many in a row are a range. */
const shortestRange = 4;

/** All names, with ranges: "m1, w1 to w30". Pure. */
export function ranges(names: readonly string[]): string {
    const parts: string[][] = [];
    for (const name of naturally(names)) {
        const last = parts.at(-1);
        if (last !== undefined && follows(last.at(-1)!, name)) last.push(name);
        else parts.push([name]);
    }
    return parts.flatMap(part => (part.length < shortestRange ? part : [`${part[0]} to ${part.at(-1)}`])).join(", ");
}

function follows(before: string, after: string): boolean {
    const [, stem, number] = /^(.*?)(\d{1,9})$/.exec(before) ?? [];
    return stem !== undefined && after === `${stem}${Number(number) + 1}`;
}

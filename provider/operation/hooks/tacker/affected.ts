import type { HookFacts, HookNode } from "../contract";
import { groupOf } from "./vnfc";

/** Nodes that an operation makes and removes. A replaced node is in both: with its new and its former server. */
export interface Affected {
    made: HookNode[];
    removed: HookNode[];
}

/**
 * What the request and the grant of the operation speak of. While an operation is taken back, Tacker still hands over
 * those of that operation: what leaves now is what it made.
 */
export function affectedNodes({ operation, nodes }: HookFacts): Affected {
    const { kind } = operation;
    const made =
        kind === "instantiate" ? nodes.after : named([...nodes.added, ...nodes.replaced], nodes.after, nodes.before);
    const removed =
        kind === "terminate" ? nodes.before : named([...nodes.removed, ...nodes.replaced], nodes.before, nodes.after);
    if (operation.rollbackOf === undefined) return { made, removed: kind === "instantiate" ? [] : removed };
    return { made: kind === "instantiate" ? nodes.before : removed, removed: kind === "instantiate" ? [] : made };
}

/** Names without a node are left out: a jump server may be replaced, and it is no VNFC. */
function named(names: string[], ...lists: HookNode[][]): HookNode[] {
    const nodes = names.map(name => lists.flat().find(node => node.name === name));
    return nodes.filter(node => node !== undefined);
}

/**
 * A request to scale has one aspect. An operation of ours that scales several groups becomes one request for each, in
 * the order of their names; any other operation stays as it is.
 */
export function byAspect(facts: HookFacts): HookFacts[] {
    const { operation, nodes } = facts;
    if (operation.kind !== "scale") return [facts];
    const { made, removed } = affectedNodes(facts);
    const groups = [...new Set([...made, ...removed].map(groupOf))].sort();
    if (groups.length < 2) return [facts];
    return groups.map(group => {
        const ofGroup = (names: string[]) =>
            names.filter(name => named([name], nodes.after, nodes.before).some(node => groupOf(node) === group));
        const added = ofGroup(nodes.added);
        const gone = ofGroup(nodes.removed);
        return {
            ...facts,
            operation: { ...operation, added, removed: gone },
            nodes: { ...nodes, added, removed: gone },
        };
    });
}

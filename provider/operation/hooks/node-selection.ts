import { inNaturalOrder } from "../names";
import type { HookNode } from "./contract";
import type { NodeSelection } from "./hook-spec";

/** The nodes that a script runs on, in natural order. Pure. */
export function selected(nodes: readonly HookNode[], { role, pool, names, first }: NodeSelection): HookNode[] {
    const fit = nodes
        .filter(node => role === undefined || node.role === role)
        .filter(node => pool === undefined || node.pool === pool)
        .filter(node => names === undefined || names.includes(node.name))
        .sort((a, b) => inNaturalOrder(a.name, b.name));
    return first === true ? fit.slice(0, 1) : fit;
}

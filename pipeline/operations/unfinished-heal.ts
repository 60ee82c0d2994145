import type { StateResource } from "../../tools/check/stack-state";
import type { HealOrder } from "../plan/order";
import { opened, specOf } from "../plan/urns";

/**
 * The word of a heal of the same nodes that a former run began and did not bring to its end. Undefined: there is none, or another operation has begun since. `configured`: `heal` of the
 * stack's configuration. Pure.
 */
export function unfinishedHeal(
    asked: Pick<HealOrder, "nodes" | "cure">,
    configured: unknown,
    resources: readonly StateResource[],
): string | undefined {
    const { run, ...former } = opened(configured) ?? {};
    if (typeof run !== "string" || keyOf(former) !== keyOf(wishOf(asked))) return undefined;
    const isUnfinished = resources.some(start => {
        if (start.type !== "OperationStart" || opened(start.outputs["heals"])?.["run"] !== run) return false;
        if (!String(start.outputs["operation"]).includes(`(asked for: ${run})`)) return false;
        const its = resources.filter(each => clusterOf(each) === clusterOf(start));
        return isOpen(its, Object.keys(opened(opened(start.outputs["heals"])?.["nodes"]) ?? {}));
    });
    return isUnfinished ? run : undefined;
}

/** The end of an operation notes the id of each node, and a healed one has another id. */
function isOpen(its: readonly StateResource[], healed: readonly string[]): boolean {
    const end = its.find(({ type }) => type === "OperationEnd");
    if (end === undefined) return true;
    const seen = opened(specOf(end.outputs)?.["nodeIds"]);
    const idOf = (name: string) =>
        its.find(({ type, outputs }) => type === "Node" && specOf(outputs)?.["name"] === name)?.id;
    return healed.some(name => seen?.[name] !== idOf(name));
}

const clusterOf = ({ outputs }: StateResource) => specOf(outputs)?.["clusterId"];

function wishOf({ nodes, cure }: Pick<HealOrder, "nodes" | "cure">): Record<string, unknown> {
    return { ...(nodes === "all" ? { all: true } : { nodes }), ...(cure && { cure }) };
}

/** The order of nodes makes no difference. */
function keyOf({ nodes, all, cure }: Record<string, unknown>): string {
    return JSON.stringify([Array.isArray(nodes) ? [...nodes].sort() : null, all === true, cure ?? null]);
}

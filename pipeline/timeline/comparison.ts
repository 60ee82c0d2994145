import { nodeKey } from "../plan/planned-nodes";
import { busySeconds, type Timeline } from "./timeline";

/** How long a node took, beside what is recorded of former runs. */
export interface ComparedNode {
    cluster: string;
    node: string;
    seconds: number;
    /** Median of such changes in former runs. */
    usual?: number;
    /** In the last run with the same operations. */
    last?: number;
}

/** Nodes of which a former time is recorded, those first that differ most. Pure. */
export function comparedNodes({ plan, rows }: Timeline): ComparedNode[] {
    if (plan === undefined) return [];
    const all = plan.nodes.flatMap((node): ComparedNode[] => {
        const row = rows.find(
            each => each.isNode && each.name === node.node && (each.cluster ?? node.cluster) === node.cluster,
        );
        const [usual, last] = [node.usualSeconds, plan.lastRun?.nodes[nodeKey(node)]];
        if (row === undefined || (usual === undefined && last === undefined)) return [];
        return [
            {
                ...{ cluster: node.cluster, node: node.node },
                seconds: row.spans.reduce((sum, span) => sum + busySeconds(span), 0),
                ...(usual !== undefined && { usual }),
                ...(last !== undefined && { last }),
            },
        ];
    });
    return all.sort((a, b) => differenceOf(b) - differenceOf(a));
}

function differenceOf({ seconds, usual, last }: ComparedNode): number {
    return Math.abs(seconds - (last ?? usual ?? seconds));
}

import { type Counts, countParameter } from "./build-scope";
import { templateError } from "./places";
import type { Hot } from "./types";

/** What the program says of the numbers of its nodes. */
export interface WantedNodes {
    /** How many nodes the program wants; undefined: as many as the template makes. `pools` names all pools of the program. */
    counts: { controlPlane?: number; pools?: Record<string, number | undefined> };
    /** Numbers that no node has. */
    without?: { controlPlane?: readonly number[]; pools?: Record<string, readonly number[]> };
}

/** The parameter that we fill with the number of nodes. Without a pool: of the control-plane nodes. */
export function countOf(pool: string | undefined): string {
    return pool === undefined ? "control_plane_count" : `${pool.replace(/-/g, "_")}_count`;
}

export function withoutOf(pool: string | undefined, { without }: WantedNodes): readonly number[] {
    return (pool === undefined ? without?.controlPlane : without?.pools?.[pool]) ?? [];
}

/** Groups of the top template whose number of members is one of our parameters: they leave out the numbers that no node has. */
export function countedGroups(hot: Hot, wanted: WantedNodes): Counts {
    const pools = [undefined, ...Object.keys(wanted.counts.pools ?? {})];
    const left = new Map(pools.map(pool => [countOf(pool), withoutOf(pool, wanted)]));
    return Object.fromEntries(
        Object.entries(hot.resources).flatMap(([name, resource]) => {
            const without = left.get(countParameter(resource) ?? "") ?? [];
            return without.length === 0 ? [] : [[name, { without }]];
        }),
    );
}

/** A node that has a number must be the copy with this number of such a group: otherwise another server would go than the one that is named. */
export function refuseOtherCopy(node: string, pool: string | undefined, server: string, counted: Counts): void {
    const number = /-(\d+)$/.exec(node)?.[1];
    const copies = Object.keys(counted).map(group => `${group}_${number}`);
    if (number !== undefined && copies.some(copy => server === copy || server.startsWith(`${copy}_`))) return;
    const place = pool === undefined ? "controlPlane" : `pools.${pool}`;
    throw templateError(
        undefined,
        `${place}.remove cannot choose nodes of this template: the server of ${node}, ${server}, is no member of a group whose number is ${countOf(pool)}`,
        `Take the node's resources and outputs out of the template, and lower ${place}.count. Or make the nodes with a group of the top template, with ` +
            `{ get_param: ${countOf(pool)} } as its number.`,
    );
}

import type { PlannedNode } from "../plan/planned-nodes";

export interface NodeTime {
    node: PlannedNode;
    /** To prepare or reset its machine, in seconds. */
    host: number;
    /** To join, change or leave, in seconds. */
    own: number;
}

/** How many workers of a pool a run interrupts at once, as `maxUnavailable` says. Undefined: not known. */
export type AtOnce = (cluster: string, group: string, nodes: number) => number | undefined;

/**
 * How long the nodes of a plan take together, in seconds: machines all at once, control-plane nodes one after another, then of each pool as many workers as
 * `maxUnavailable` allows, then those that leave. `parallel`: how many resources act at once. Undefined: how many workers take turns is not known. Pure.
 */
export function scheduled(
    times: readonly NodeTime[],
    atOnce: AtOnce,
    parallel = Number.POSITIVE_INFINITY,
): number | undefined {
    const leaving = times.filter(({ node }) => node.change === "leaves");
    const stays = times.filter(({ node }) => node.change !== "leaves");
    const masters = stays.filter(isMaster);
    const pools = poolsOf(stays.filter(time => !isMaster(time))).map(pool => ofPool(pool, atOnce, parallel));
    if (pools.some(seconds => seconds === undefined)) return undefined;
    return (
        inPlaces(hosts(stays), parallel) +
        Math.max(inPlaces(own(masters.filter(inTurn)), 1), inPlaces(own(masters.filter(free)), parallel)) +
        Math.max(0, ...(pools as number[])) +
        leave(leaving.filter(isMaster), 1, parallel) +
        leave(
            leaving.filter(time => !isMaster(time)),
            parallel,
            parallel,
        )
    );
}

function leave(times: readonly NodeTime[], count: number, parallel: number): number {
    return inPlaces(own(times), count) + inPlaces(hosts(times), parallel);
}

function poolsOf(workers: readonly NodeTime[]): NodeTime[][] {
    const pools = new Map<string, NodeTime[]>();
    for (const time of workers) {
        const key = JSON.stringify([time.node.cluster, time.node.group]);
        pools.set(key, [...(pools.get(key) ?? []), time]);
    }
    return [...pools.values()];
}

function ofPool(pool: readonly NodeTime[], atOnce: AtOnce, parallel: number): number | undefined {
    const turns = pool.filter(inTurn);
    const { cluster, group } = pool[0]!.node;
    const limit = turns.length < 2 ? 1 : atOnce(cluster, group, turns.length);
    if (limit === undefined) return undefined;
    // Workers that join interrupt nothing.
    return Math.max(inPlaces(own(turns), Math.min(limit, parallel)), inPlaces(own(pool.filter(free)), parallel));
}

const isMaster = ({ node }: NodeTime) => node.group === "controlPlane";

/** Members that are interrupted, and control-plane nodes that join. */
export function takesTurns({ change, disruptions, group }: PlannedNode): boolean {
    return disruptions.length > 0 || (group === "controlPlane" && change === "joins");
}

const inTurn = ({ node }: NodeTime) => takesTurns(node);
const free = ({ node }: NodeTime) => !takesTurns(node);
const own = (times: readonly NodeTime[]) => times.map(time => time.own);
const hosts = (times: readonly NodeTime[]) => times.map(({ host }) => host);

/** Each begins when one of `count` places is free, in the given order. */
function inPlaces(seconds: readonly number[], count: number): number {
    const places = Array.from({ length: Math.max(1, Math.min(count, seconds.length)) }, () => 0);
    for (const each of seconds) {
        const next = places.indexOf(Math.min(...places));
        places[next]! += each;
    }
    return Math.max(0, ...places);
}

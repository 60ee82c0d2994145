/** `pools.NAME.maxUnavailable`: a number of nodes, or a percentage of the pool as text ("25%"). */

const percentage = /^([1-9][0-9]?|100)%$/;

/** Why the value is not allowed. */
export function maxUnavailableProblem(given: number | string | undefined): string | undefined {
    const allowed =
        given === undefined ||
        (typeof given === "string" ? percentage.test(given) : Number.isSafeInteger(given) && given >= 1);
    if (allowed) return undefined;
    return `${JSON.stringify(given)} is not allowed: a whole number from 1, or a percentage from "1%" to "100%"`;
}

/** How many nodes of a pool with `size` nodes that are: at least 1. */
export function maxUnavailableNodes(given: number | string | undefined, size: number): number {
    if (typeof given !== "string") return given ?? 1;
    return Math.max(1, Math.floor((size * Number.parseInt(given, 10)) / 100));
}

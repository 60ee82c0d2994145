import type { NodeName } from "./infrastructure";

/** The entries of a map by name in natural order (w2 before w10), which does not depend on the machine's language. */
export function byName<T>(map: Record<string, T>): [string, T][] {
    return Object.entries(map).sort(([a], [b]) => natural(a, b));
}

/**
 * Control-plane nodes first, then pool by pool, each by name, so that the order does not depend on how a language
 * orders maps.
 */
export function inOrder<Node extends NodeName>(nodes: readonly Node[]): Node[] {
    const rank = ({ role }: NodeName) => (role === "controlPlane" ? 0 : 1);
    return [...nodes].sort(
        (a, b) => rank(a) - rank(b) || natural(a.pool ?? "", b.pool ?? "") || natural(a.name, b.name),
    );
}

function natural(a: string, b: string): number {
    return a.localeCompare(b, "en", { numeric: true }) || (a < b ? -1 : a > b ? 1 : 0);
}

/*
 * Which nodes a group has: the first `count` that `remove` does not name. It depends on the program alone, so the same program gives the same
 * nodes at each run, and the names of the nodes that stay never change.
 */

export interface Choice {
    /** @default all */
    count?: number;
    /** Names of the nodes that leave, and stay away. */
    remove?: readonly string[];
}

/** `named`: all candidates by name, in order. */
export function chosen<T>(named: readonly [string, T][], { count, remove = [] }: Choice): [string, T][] {
    return named.filter(([name]) => !remove.includes(name)).slice(0, count);
}

/** The lowest `count` numbers, from 1, without those in `left`. */
export function chosenNumbers(count: number, left: readonly number[] = []): number[] {
    return Array.from({ length: Math.max(0, count) }, (_, i) => chosenNumber(i + 1, left));
}

/** The `position`th of these numbers: with 2 left out, the second is 3. */
export function chosenNumber(position: number, left: readonly number[] = []): number {
    const lower = [...new Set(left)].sort((a, b) => a - b);
    return lower.reduce((number, each) => (each <= number ? number + 1 : number), position);
}

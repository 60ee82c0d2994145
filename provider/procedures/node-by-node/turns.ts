import type { Context } from "../../contract/types";
import type { NodeTarget } from "./procedure";

/** Groups of workers that follow one another: by turn, then by pool. Pure. */
export function inGroups<T extends Pick<NodeTarget, "turn" | "pool">>(workers: readonly T[]): T[][] {
    const groups = new Map<string, T[]>();
    for (const worker of [...workers].sort((a, b) => a.turn - b.turn)) {
        const key = `${worker.turn} ${worker.pool ?? ""}`;
        groups.set(key, [...(groups.get(key) ?? []), worker]);
    }
    return [...groups.values()];
}

/** After a failure none begins that had not; those that had end first. @throws the first failure; of others it warns */
export async function atOnce<T>(
    all: readonly T[],
    count: number,
    work: (each: T) => Promise<unknown>,
    { warn, signal }: Pick<Context, "warn" | "signal">,
): Promise<void> {
    const waiting = [...all];
    const failures: unknown[] = [];
    const lane = async () => {
        for (let next = waiting.shift(); next !== undefined && failures.length === 0; next = waiting.shift())
            await work(next).catch(error => failures.push(error));
    };
    await Promise.all(Array.from({ length: count }, lane));
    const [first, ...others] = failures;
    // Stopped by the user, all of them say the same.
    if (!signal?.aborted) for (const other of others) warn(other instanceof Error ? other.message : String(other));
    if (failures.length > 0) throw first;
}

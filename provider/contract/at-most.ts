import type { InSession } from "./types";

/** The jobs of one kind in this run. */
class Queue {
    running = 0;
    readonly waiting: (() => void)[] = [];
    /** Of the first job that failed. */
    failure?: { error: unknown };
}

/** By kind. */
class Queues extends Map<string, Queue> {}

export interface Turn {
    /** Called if the job has to wait for others. */
    waiting?: () => void;
    /** The error of jobs that did not begin before the first one failed, whenever they ask in this run. Undefined: it runs all the same. @default they run */
    afterFailure?: (error: unknown) => Error | undefined;
    /** A job that is cancelled while it waits does not run. */
    signal?: AbortSignal;
}

/**
 * Runs at most `count` jobs of one kind at once within this run, in the order of the calls. All calls for a kind give
 * the same count. Nothing of it outlives the run's process.
 */
export async function atMost<T>(
    count: number,
    { session }: InSession,
    kind: string,
    work: () => Promise<T>,
    { waiting, afterFailure, signal }: Turn = {},
): Promise<T> {
    const queues = session.part(Queues);
    const queue = queues.get(kind) ?? new Queue();
    queues.set(kind, queue);
    if (queue.running < count) {
        queue.running++;
    } else {
        waiting?.();
        // A job that ends passes its place on, so that no later call can take it first.
        await new Promise<void>(begin => queue.waiting.push(begin));
    }
    try {
        signal?.throwIfAborted();
        const refusal = queue.failure && afterFailure?.(queue.failure.error);
        if (refusal !== undefined) throw refusal;
        return await noting(queue, work);
    } finally {
        const next = queue.waiting.shift();
        if (next === undefined) queue.running--;
        else next();
    }
}

async function noting<T>(queue: Queue, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        queue.failure ??= { error };
        throw error;
    }
}

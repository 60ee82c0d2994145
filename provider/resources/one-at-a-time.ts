import type { InSession } from "./types";

/** By kind: the end of the last job of this run. */
class Queues extends Map<string, Promise<unknown>> {}

export interface Turn {
    /** Called if another job is running. */
    waiting?: () => void;
    /** The error of waiting jobs when the one before fails. @default they run */
    afterFailure?: (error: unknown) => Error;
    /** A job that is cancelled while it waits does not run. */
    signal?: AbortSignal;
}

/** Runs jobs of one kind one after another within this run, in the order of the calls. */
export async function oneAtATime<T>(
    { session }: InSession,
    kind: string,
    work: () => Promise<T>,
    turn: Turn = {},
): Promise<T> {
    const queues = session.part(Queues);
    const { waiting, afterFailure, signal } = turn;
    const before = queues.get(kind);
    if (before !== undefined) waiting?.();
    const end = (async () => {
        await before?.catch(error => {
            if (afterFailure !== undefined) throw afterFailure(error);
        });
        signal?.throwIfAborted();
        return work();
    })();
    queues.set(kind, end);
    try {
        return await end;
    } finally {
        if (queues.get(kind) === end) queues.delete(kind);
    }
}

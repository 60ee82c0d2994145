const queues = new Map<string, Promise<unknown>>();

export interface Turn {
    /** Called if another one works. */
    waiting?: () => void;
    /** What those that wait end with when the one before fails. @default they go on */
    afterFailure?: (error: unknown) => Error;
    /** Who is cancelled while it waits does nothing more. */
    signal?: AbortSignal;
}

/** Work of one kind in this run, one after another, in the order in which it was asked for. */
export async function oneAtATime<T>(kind: string, work: () => Promise<T>, turn: Turn = {}): Promise<T> {
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

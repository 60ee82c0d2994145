const queues = new Map<string, Promise<unknown>>();

export interface Turn {
    /** Called if another one works. */
    waiting?: () => void;
    /** Who is cancelled while it waits does nothing more. */
    signal?: AbortSignal;
}

/** Work of one kind in this run, one after another, in the order in which it was asked for; what fails does not stop the next. */
export async function oneAtATime<T>(kind: string, work: () => Promise<T>, { waiting, signal }: Turn = {}): Promise<T> {
    const before = queues.get(kind);
    if (before !== undefined) waiting?.();
    const turn = (async () => {
        await before?.catch(() => {});
        signal?.throwIfAborted();
        return work();
    })();
    queues.set(kind, turn);
    try {
        return await turn;
    } finally {
        if (queues.get(kind) === turn) queues.delete(kind);
    }
}

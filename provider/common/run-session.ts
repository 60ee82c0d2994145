import { setMaxListeners } from "node:events";
import { NfvError } from "./errors";

/** Parts may have it. */
interface Closable {
    close?(): void | Promise<void>;
}

/**
 * What the resources of one run of the engine (preview, up, refresh, destroy) share: connections, host keys, clients of
 * clouds, queues. Runs in one process, one after another or side by side, have a session each and cannot see each
 * other's. Whoever hosts the resources makes it, and `Context` hands it down: index.ts in the process of the dynamic
 * resources, hooks.ts in the program's process.
 */
export class RunSession {
    private readonly stopped = new AbortController();
    private readonly parts = new Map<new () => object, object & Closable>();

    /** Aborts when the run is cancelled (Ctrl-C). Its reason is an NfvError with code CANCELLED. */
    readonly signal = this.stopped.signal;

    /** `engine`: address of Pulumi's engine, which may die before this process does. */
    constructor(readonly engine?: string) {
        setMaxListeners(0, this.signal); // each running command adds a listener
    }

    cancel(): void {
        this.stopped.abort(new NfvError({ code: "CANCELLED", cause: "the run was stopped" }));
    }

    /** The session's only object of a class, made at its first use: most previews need none. */
    part<T extends object>(kind: new () => T): T {
        const part = this.parts.get(kind) ?? new kind();
        this.parts.set(kind, part);
        return part as T;
    }

    /** Closes all parts. Those used later are new ones. */
    async close(): Promise<void> {
        const parts = [...this.parts.values()];
        this.parts.clear();
        await Promise.all(parts.map(part => part.close?.()));
    }
}

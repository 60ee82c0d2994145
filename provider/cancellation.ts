import { EventEmitter, setMaxListeners } from "node:events";
import { Server } from "node:net";
import { NfvError } from "./errors";
import { engineAddress } from "./progress";

const stopped = new AbortController();

/** Ends when the run is cancelled (Ctrl-C). Its reason is CANCELLED. */
export const runSignal: AbortSignal = stopped.signal;
setMaxListeners(0, runSignal); // every command of every machine listens

/** What the engine calls at Ctrl-C, in each process that hosts resources. */
const cancelPath = "/pulumirpc.ResourceProvider/Cancel";

export function cancelRun(): void {
    stopped.abort(new NfvError({ code: "CANCELLED", cause: "the run was stopped" }));
}

/**
 * Makes the engine's Cancel end this run. The SDK's host of dynamic resources answers this call and does nothing, and gives no way to
 * hear of it; so the call is seen where it arrives: a server of Node's http2 emits `stream` with the call's path for each of them.
 */
export function listenForCancel(argv: readonly string[] = process.argv): void {
    if (engineAddress(argv) === undefined || Object.hasOwn(Server.prototype, "emit")) return;
    Server.prototype.emit = function (this: Server, event: string | symbol, ...values: unknown[]): boolean {
        if (event === "stream" && pathOf(values[1]) === cancelPath) cancelRun();
        return EventEmitter.prototype.emit.call(this, event, ...values);
    };
}

function pathOf(headers: unknown): unknown {
    return (headers as Record<string, unknown> | undefined)?.[":path"];
}

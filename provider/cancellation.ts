import { EventEmitter, setMaxListeners } from "node:events";
import { Server } from "node:net";
import { NfvError } from "./errors";
import { engineAddress } from "./progress";

const stopped = new AbortController();

/** Aborts when the run is cancelled (Ctrl-C). Its reason is an NfvError with code CANCELLED. */
export const runSignal: AbortSignal = stopped.signal;
setMaxListeners(0, runSignal); // each running command adds a listener

/** The engine calls this at Ctrl-C in each process that hosts resources. */
const cancelPath = "/pulumirpc.ResourceProvider/Cancel";

export function cancelRun(): void {
    stopped.abort(new NfvError({ code: "CANCELLED", cause: "the run was stopped" }));
}

/**
 * Makes the engine's Cancel call end this run. The SDK's host of dynamic resources answers the call, does nothing, and
 * offers no callback. So we intercept it: Node's http2 server emits `stream` with the path of each call.
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

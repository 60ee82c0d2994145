import { EventEmitter } from "node:events";
import { Server } from "node:net";
import { engineAddress } from "./progress";

/** The engine calls this at Ctrl-C in each process that hosts resources. */
const cancelPath = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Passes on the engine's Cancel call. The SDK's host of dynamic resources answers the call, does nothing, and offers no
 * callback. So we intercept it: Node's http2 server emits `stream` with the path of each call.
 */
export function listenForCancel(cancel: () => void, argv: readonly string[] = process.argv): void {
    if (engineAddress(argv) === undefined || Object.hasOwn(Server.prototype, "emit")) return;
    Server.prototype.emit = function (this: Server, event: string | symbol, ...values: unknown[]): boolean {
        if (event === "stream" && pathOf(values[1]) === cancelPath) cancel();
        return EventEmitter.prototype.emit.call(this, event, ...values);
    };
}

function pathOf(headers: unknown): unknown {
    return (headers as Record<string, unknown> | undefined)?.[":path"];
}

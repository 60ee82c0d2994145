import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import type { Context } from "./types";

/** How long to wait for API servers that run but are not ready, in seconds. Tests set less. */
export const patience = { seconds: 90 };

const pauseSeconds = 2;

/**
 * Retries while control-plane nodes answer but their API servers are not ready: a server that starts, or a machine
 * under load, must not end a run. Does not wait for control-plane nodes that cannot be reached at all.
 */
export async function retryUntilControlPlaneReady<T>(
    context: Pick<Context, "report" | "signal">,
    work: () => Promise<T>,
): Promise<T> {
    const end = performance.now() + patience.seconds * 1000;
    for (;;) {
        try {
            return await work();
        } catch (error) {
            if (!isNotReady(error) || performance.now() > end) throw error;
            context.report("wait for a master's API server");
            await sleep(pauseSeconds * 1000, undefined, { signal: context.signal });
        }
    }
}

function isNotReady(error: unknown): boolean {
    return error instanceof NfvError && error.code === "NO_CONTROL_PLANE" && /not ready/.test(error.reason);
}

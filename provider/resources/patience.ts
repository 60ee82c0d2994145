import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import type { Context } from "./types";

/** How long API servers that are there but not ready are waited for, in seconds. Tests have less. */
export const patience = { seconds: 90 };

const pauseSeconds = 2;

/**
 * Tries again while the masters answer but their API servers are not ready: an API server that starts, or a machine under load, is no
 * reason to end a run. Masters that cannot be reached at all are no reason to wait.
 */
export async function whileMastersGetReady<T>(
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

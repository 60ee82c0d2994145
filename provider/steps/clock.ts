import { setTimeout as delay } from "node:timers/promises";

/** Time as the runner sees it; tests and simulated fleets give their own. */
export interface Clock {
    /** Seconds that only ever grow. */
    now(): number;
    sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
    now: () => performance.now() / 1000,
    sleep: (seconds, signal) => delay(seconds * 1000, undefined, { signal }),
};

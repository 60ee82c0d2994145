import { setTimeout as delay } from "node:timers/promises";

/** The runner's clock; tests and simulated fleets have their own. */
export interface Clock {
    /** Seconds that never decrease. */
    now(): number;
    sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
    now: () => performance.now() / 1000,
    sleep: (seconds, signal) => delay(seconds * 1000, undefined, { signal }),
};

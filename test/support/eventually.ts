import { setTimeout as sleep } from "node:timers/promises";

/** What a failure shows of the time that goes by: ages and times of day. */
const times = /\b(\d+[dhm])*\d+s\b|\b\d\d:\d\d:\d\d(\.\d+)?/g;

export interface Patience {
    /** What else shows that things move. It is asked before giving up. @default nothing */
    pulse?: () => string | undefined | Promise<string | undefined>;
    /** @default 500 */
    pauseMilliseconds?: number;
}

/**
 * Retries until it works; throws the last error when it has been the same for so many seconds. So a machine that is slow gets its time while
 * something changes, and what stands still fails as early as on a fast one.
 */
export async function eventually<T>(
    seconds: number,
    attempt: () => T | Promise<T>,
    { pulse = () => undefined, pauseMilliseconds = 500 }: Patience = {},
): Promise<T> {
    let said: string | undefined;
    let beat: string | undefined;
    for (let end = 0; ; await sleep(pauseMilliseconds)) {
        try {
            return await attempt();
        } catch (error) {
            const now = String(error).replace(times, "");
            const isOver = now === said && Date.now() > end;
            if (isOver) {
                const next = await pulse();
                if (next === beat) throw error;
                beat = next;
            }
            if (isOver || now !== said) end = Date.now() + seconds * 1000;
            said = now;
        }
    }
}

/** Waits until it is so. `seen`: what changes meanwhile, and what the error shows; a failure of `isSo` is tried again. */
export function until(
    seconds: number,
    isSo: () => boolean | Promise<boolean>,
    seen: () => string | Promise<string> = () => "",
): Promise<void> {
    const look = async () => {
        if (!(await isSo())) throw new Error(`not yet: ${isSo}\n${await seen()}`);
    };
    return eventually(seconds, look, { pauseMilliseconds: 50 });
}

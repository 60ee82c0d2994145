import { NfvError } from "../../provider/common/errors";
import { type HeldLock, withLock } from "../../tools/lock";

/** What a run holds on this machine while it works on a stack. */
export interface OwnLock {
    /** Aborts when the run is asked to stop, and when its lock has become another run's. */
    signal: AbortSignal;
    /** @throws STACK_LOCKED if the lock has become another run's. Asked at once before something changes. */
    need(): void;
    isOurs(): boolean;
}

/** Of a run that changes nothing, and so needs no lock. */
export const noLock = (signal: AbortSignal): OwnLock => ({ signal, need: () => {}, isOurs: () => true });

/** Runs `work` while no other run of this machine, or of a container with the same folder, works on the stack. */
export function alone<T>(
    { path, stack, signal }: { path: string; stack: string; signal: AbortSignal },
    onWait: (holder: string) => void,
    work: (lock: OwnLock) => Promise<T>,
): Promise<T> {
    return withLock(path, onWait, held => work(ownLock(stack, signal, held)), signal);
}

function ownLock(stack: string, signal: AbortSignal, { lost, isOurs }: HeldLock): OwnLock {
    const taken = new AbortController();
    const error = new NfvError({
        code: "STACK_LOCKED",
        cause: `${stack}: another run of this machine has taken over, because this one showed no sign of life for a minute, as in a paused container`,
    });
    lost.addEventListener("abort", () => taken.abort(error), { once: true });
    return {
        signal: AbortSignal.any([signal, taken.signal]),
        isOurs,
        need: () => {
            if (!isOurs()) throw error;
        },
    };
}

/** Receives one line of text for a person. */
export type Progress = (line: string) => void;

export const silent: Progress = () => {};

/** Reports every 20 s that `what` still goes on, until the returned function is called. */
export function heartbeat(progress: Progress, what: string, everySeconds = 20): () => void {
    const started = Date.now();
    const timer = setInterval(
        () => progress(`${what}: still running after ${Math.round((Date.now() - started) / 1000)} s`),
        everySeconds * 1000,
    );
    timer.unref();
    return () => clearInterval(timer);
}

export function megabytes(bytes: number): string {
    return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** "2 min 5 s", "12 s", "0.4 s". */
export function duration(milliseconds: number): string {
    const seconds = milliseconds / 1000;
    if (seconds < 10) {
        return `${seconds.toFixed(1)} s`;
    }
    const whole = Math.round(seconds);
    return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const controller = new AbortController();

/** Aborted when this run is to stop: children end, and what was set up is removed. */
export const stopSignal = controller.signal;

/** Both the terminal and the process above may send the same signal. */
const sameSecond = 1000;

/** Ctrl-C or a pipeline's end stops the run in good order; once more, it ends at once. */
export function stopOnSignals(): void {
    let first = 0;
    const stop = () => {
        if (!stopSignal.aborted) {
            first = Date.now();
            console.log("stopping: what was set up is removed; once more ends at once");
            controller.abort(new Error("stopped"));
        } else if (Date.now() - first > sameSecond) process.exit(130);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
}

import { NfvError } from "../provider/errors";

const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * A signal for runs that aborts when this process is asked to end (Ctrl-C, a runner's time-out): the step that runs ends, locks are freed, and the
 * run throws CANCELLED. The second signal ends the process as usual.
 */
export function abortOnSignals(): AbortSignal {
    const asked = new AbortController();
    const listener = (name: NodeJS.Signals) => {
        // The listeners stay until then: the Automation API's own ends the process when it finds itself alone.
        if (asked.signal.aborted) {
            for (const each of signals) process.off(each, listener);
            process.kill(process.pid, name);
        }
        asked.abort(new NfvError({ code: "CANCELLED", cause: `the run was stopped (${name})` }));
    };
    for (const name of signals) process.on(name, listener);
    return asked.signal;
}

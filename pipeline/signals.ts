import { setMaxListeners } from "node:events";
import { NfvError } from "../provider/errors";

const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

let shared: AbortSignal | undefined;

/**
 * A signal for runs that aborts when this process is asked to end (Ctrl-C, a runner's time-out): the step that runs ends, locks are freed, and the
 * run throws CANCELLED. The second signal ends the process as usual. All calls in a process return the same one: a loop over stacks begins no further run.
 */
export function abortOnSignals(): AbortSignal {
    shared ??= listen();
    return shared;
}

function listen(): AbortSignal {
    const asked = new AbortController();
    setMaxListeners(0, asked.signal);
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

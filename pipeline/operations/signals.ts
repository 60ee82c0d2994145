import { setMaxListeners } from "node:events";
import { NfvError } from "../../provider/common/errors";

const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** One wish may come twice, in milliseconds: from a terminal to the whole process group, and again from npx or a shell that passes it on. */
const sameWish = 1000;

let shared: AbortSignal | undefined;

/**
 * A signal for runs that aborts when this process is asked to end (Ctrl-C, a runner's time-out): the step that runs ends, locks are freed, and the
 * run throws CANCELLED. Another signal, a second later or more, ends the process as usual. All calls in a process return the same one: a loop over stacks begins no further run.
 * Under `npx` or `npm run` the end of npm counts as a signal, because npm does not pass one on.
 */
export function abortOnSignals(): AbortSignal {
    shared ??= listen();
    return shared;
}

function listen(): AbortSignal {
    const asked = new AbortController();
    setMaxListeners(0, asked.signal);
    let since = 0;
    const stop = (why: string) => {
        since = performance.now();
        asked.abort(new NfvError({ code: "CANCELLED", cause: `the run was stopped (${why})` }));
    };
    const listener = (name: NodeJS.Signals) => {
        // The listeners stay until then: the Automation API's own ends the process when it finds itself alone.
        if (asked.signal.aborted) {
            if (performance.now() - since < sameWish) return;
            for (const each of signals) process.off(each, listener);
            process.kill(process.pid, name);
        }
        stop(name);
    };
    for (const name of signals) process.on(name, listener);
    onEndOfNpm(process.env, () => stop("npx or npm has ended"));
    return asked.signal;
}

/**
 * npm passes a signal to the shell between it and this process, and both end without passing it on: the run would go on unseen, and the pipeline would take it for ended.
 * `env`: says whether npm has started this process. `parentOf`: the id of the parent process. `every`: in milliseconds.
 */
export function onEndOfNpm(
    env: Readonly<Record<string, string | undefined>>,
    ended: () => void,
    parentOf = () => process.ppid,
    every = 1000,
): void {
    if (env["npm_lifecycle_event"] === undefined) return;
    const parent = parentOf();
    const timer = setInterval(() => {
        if (parentOf() === parent) return;
        clearInterval(timer);
        ended();
    }, every);
    timer.unref();
}

import assert from "node:assert/strict";
import type { StepBody } from "../../../../provider/steps";

/** Steps that write to a file on the node when they begin and end, so that a test sees how often each ran, and which overlapped. */
export function tracedSteps(count: number, traceFile: string, seconds: number | Record<number, number>): StepBody[] {
    return Array.from({ length: count }, (_, i) => {
        const duration = typeof seconds === "number" ? seconds : (seconds[i] ?? 0);
        return {
            id: `trace.s${i}`,
            title: `step number ${i}`,
            revision: 1,
            timeoutSeconds: 60,
            env: { TRACE: traceFile, ID: `s${i}` },
            secrets: { token: "canary-4711" },
            run: `echo "start $ID $$" >>"$TRACE"\nls "$SECRETS/token"\nsleep ${duration}\necho "end $ID $$" >>"$TRACE"`,
        };
    });
}

export interface Trace {
    /** Step → how often it began. */
    started: Record<string, number>;
    ended: Record<string, number>;
}

/** Reads a trace; fails if two steps ran at the same time. `interrupted`: a step may lack its end (a reboot). */
export function readTrace(text: string, interrupted = false): Trace {
    const trace: Trace = { started: {}, ended: {} };
    let open: string | undefined;
    for (const line of text.trim().split("\n").filter(Boolean)) {
        const [word, id, pid] = line.split(" ");
        if (word === "start") {
            if (!interrupted) assert.equal(open, undefined, `${id} began while ${open} ran:\n${text}`);
            open = `${id} ${pid}`;
            trace.started[id] = (trace.started[id] ?? 0) + 1;
        } else {
            assert.equal(open, `${id} ${pid}`, `${id} ended without being the one that ran:\n${text}`);
            open = undefined;
            trace.ended[id] = (trace.ended[id] ?? 0) + 1;
        }
    }
    return trace;
}

export function eachOnce(count: number): Trace {
    const once = Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, 1]));
    return { started: once, ended: once };
}

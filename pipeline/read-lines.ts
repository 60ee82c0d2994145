import { NfvError } from "../provider/errors";
import type { PipelineEvent } from "./events";

/** The events in the lines of `nfv … --json`; other lines of a log are left out. Pure. @throws INVALID_INPUT without any event */
export function eventsIn(text: string): PipelineEvent[] {
    const events = text.split("\n").flatMap(line => {
        if (!line.startsWith('{"type":')) return [];
        try {
            return [JSON.parse(line) as PipelineEvent];
        } catch {
            return []; // the last line of a run that was killed
        }
    });
    if (events.length > 0) return events;
    throw new NfvError({ code: "INVALID_INPUT", cause: "there is no event of nfv --json in what was read" });
}

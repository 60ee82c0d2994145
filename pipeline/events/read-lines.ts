import { NfvError } from "../../provider/common/errors";
import { isEvent } from "./event-schema";
import type { PipelineEvent } from "./events";

/** The events in the lines of `nfv … --json`; other lines of a log, and events without what they must have, are left out. Pure. @throws INVALID_INPUT without any event */
export function eventsIn(text: string): PipelineEvent[] {
    const events = text.split("\n").flatMap(line => {
        if (!line.startsWith('{"type":')) return [];
        try {
            const read: unknown = JSON.parse(line);
            return isEvent(read) ? [read as PipelineEvent] : [];
        } catch {
            return []; // the last line of a run that was killed
        }
    });
    if (events.length > 0) return events;
    throw new NfvError({ code: "INVALID_INPUT", cause: "there is no event of nfv --json in what was read" });
}

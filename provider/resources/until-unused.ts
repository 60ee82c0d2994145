import { setTimeout as sleep } from "node:timers/promises";
import { type GuardQuestion, inUse } from "./storage-users";
import type { Context } from "./types";

/** How long a deletion waits for claims that the same run deletes, in seconds. Tests set less. */
export const claimPatience = { seconds: 60 };

/** Claims may go in the same run: it waits for them. `what`: for messages. @throws DATA_IN_USE */
export async function untilUnused(question: GuardQuestion, what: string, context: Context): Promise<void> {
    const end = Date.now() + claimPatience.seconds * 1000;
    for (;;) {
        const error = await inUse(question);
        if (error === undefined) return;
        if (Date.now() > end) throw error;
        context.report(`wait until no claim uses ${what}`);
        await sleep(2000, undefined, { signal: context.signal });
    }
}

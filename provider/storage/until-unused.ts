import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import { howToGiveUp } from "../contract/give-up";
import type { Context } from "../contract/types";
import { type GuardQuestion, inUse } from "./storage-users";

/** How long a deletion waits for claims that the same run deletes, in seconds. Tests set less. */
export const claimPatience = { seconds: 60 };

/** What is deleted: its cluster, which may be gone for good, and the name by which it is given up then. */
interface Deleted {
    /** For messages. */
    what: string;
    clusterId: string;
    name: string;
}

/** Claims may go in the same run: it waits for them. @throws DATA_IN_USE */
export async function untilUnused(
    question: GuardQuestion,
    { what, clusterId, name }: Deleted,
    context: Context,
): Promise<void> {
    const end = Date.now() + claimPatience.seconds * 1000;
    for (;;) {
        const error = await inUse(question);
        if (error === undefined) return;
        if (Date.now() > end) {
            const { code, node, reason: cause, hint } = error;
            throw new NfvError({ code, node, cause, hint: `${hint} ${howToGiveUp(clusterId, name)}` });
        }
        context.report(`wait until no claim uses ${what}`);
        await sleep(2000, undefined, { signal: context.signal });
    }
}

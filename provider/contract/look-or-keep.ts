import { NfvError } from "../common/errors";
import type { Context } from "./types";

/** For a refresh: what a look finds. Where the cluster cannot be asked, which is never "gone", it is `kept`, with a warning. `title`: of the resource. */
export async function lookOrKeep<T>(title: string, kept: T, context: Context, look: () => Promise<T>): Promise<T> {
    try {
        return await look();
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${title}: kept as it was: ${error.reason}`);
        return kept;
    }
}

import { NfvError } from "../errors";
import { settle, type VimAuth, type VimEndpoint } from "../vim";
import type { CheckedLive, Context } from "./types";
import { hasUnknown } from "./values";

/** How long a cluster that does not answer is asked again at a preview, in seconds. */
export const liveSeconds = 10;

/** Access to a cluster. Secret. */
export type ClusterAccess = VimEndpoint & { auth: VimAuth };

interface Question {
    /** Of the network function. */
    cnf: string;
    /** "its objects are free": what could not be found out where the cluster is silent. */
    whether: string;
    /** What must be known before it can be asked. */
    needs: unknown[];
    /** What is wrong; undefined: nothing. */
    look: () => Promise<NfvError | undefined>;
}

/** Asks the cluster before anything is done. One that this very run repairs does not answer yet: nothing can be applied to one that stays silent. */
export async function checkCluster<Inputs>(
    { cnf, whether, needs, look }: Question,
    context: Context,
): Promise<CheckedLive<Inputs>> {
    if (hasUnknown(needs)) return { failures: [] };
    try {
        const problem = await settle(liveSeconds, look);
        return { failures: problem === undefined ? [] : [{ property: "", reason: problem.message }] };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`Cnf ${cnf}: whether ${whether} cannot be asked now: ${error.reason}`);
        return { failures: [] };
    }
}

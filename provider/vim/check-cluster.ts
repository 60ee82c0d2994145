import { NfvError } from "../common/errors";
import type { CheckedLive, CheckFailure, Context } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { KubeApi, settle, type VimAuth, type VimEndpoint } from ".";

/** How long the preview retries a cluster that does not answer, in seconds. */
export const liveSeconds = 10;

/** Access to a cluster. Secret. */
export type ClusterAccess = VimEndpoint & { auth: VimAuth };

export const apiOf = (access: ClusterAccess) => new KubeApi(access, access.auth);

/** A problem as a check reports it. */
export function asFailures(problem: NfvError | undefined): CheckFailure[] {
    return problem === undefined ? [] : [{ property: "", reason: problem.message }];
}

interface Question {
    /** Name of the network function. */
    cnf: string;
    /** "its objects are free": what remains unchecked if the cluster does not answer. */
    whether: string;
    /** Inputs that must be known before the cluster can be asked. */
    needs: unknown[];
    /** Returns the problem; undefined if there is none. */
    look: () => Promise<NfvError | undefined>;
}

/**
 * Asks the cluster before any change. A cluster that does not answer is no failure: this run may repair it, and if it
 * does not, nothing can be applied to it.
 */
export async function checkCluster<Inputs>(
    { cnf, whether, needs, look }: Question,
    context: Context,
): Promise<CheckedLive<Inputs>> {
    if (hasUnknown(needs)) return { failures: [] };
    try {
        const problem = await settle(liveSeconds, look);
        return { failures: asFailures(problem) };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`Cnf ${cnf}: whether ${whether} cannot be asked now: ${error.reason}`);
        return { failures: [] };
    }
}

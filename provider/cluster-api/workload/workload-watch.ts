import { setTimeout as sleep } from "node:timers/promises";
import { errorCodes, NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import type { KubeApi } from "../../vim";
import type { ClusterAccess } from "../../vim/check-cluster";
import { controllerErrors } from "../controller-logs";
import { lookAtWorkload, type WorkloadName } from "../look-at-workload";
import { ownNames } from "../own-names";
import { podNetworkHint } from "../pod-network-hint";
import type { SeenEvent, WorkloadSeen } from "../workload-seen";
import { newestFirst, sentenceOf, whatHinders } from "../workload-state";
import { workloadApis } from "./workload-place";

/**
 * Between two looks: a look is five small requests, and the network functions of the cluster wait for the last one. When nothing moves for longer, the
 * controllers' logs may say why.
 */
export const workloadPauses = { seconds: 1, logSeconds: 60 };

export interface Watched extends WorkloadName {
    /** Of the management cluster. */
    access: ClusterAccess;
    /** `cni`: whose pod network it has. */
    kept?: { cni?: string };
    timeoutSeconds: number;
}

/** Whether a look shows the end; throws what cannot end well. */
type Ended = (seen: WorkloadSeen) => { done: boolean; text: string };

/**
 * Looks at a workload cluster until it is as wished. An API that does not answer for a while is no end: a control-plane node of the management cluster
 * may be away. @throws WORKLOAD_NOT_READY after the time, with what hinders
 */
export async function watchWorkload(
    watched: Watched,
    context: Context,
    step: string,
    ended: Ended,
): Promise<WorkloadSeen> {
    const { access, timeoutSeconds, clusterName, namespace } = watched;
    const api = workloadApis.of(access);
    const end = Date.now() + timeoutSeconds * 1000;
    let last: WorkloadSeen | undefined;
    let said = "";
    let quietSince = Date.now();
    const logged = async () => (last === undefined ? [] : controllerErrors(api, namespace, ownNames(last)));
    for (;;) {
        const seen = await look(api, watched, context);
        if (seen !== undefined) {
            last = seen;
            const { done, text } = ended(seen);
            // The last line stays beside the resource, so it must not tell of a wait that is over.
            if (text !== said && !(done && said === "")) {
                context.report(text);
                said = text;
                quietSince = Date.now();
            }
            if (done) return seen;
        }
        if (Date.now() > end) {
            const cni = watched.kept?.cni;
            throw tooLate(last, { clusterName, cni, step, timeoutSeconds, said, logged: await logged() });
        }
        if (Date.now() > quietSince + workloadPauses.logSeconds * 1000) {
            const [newest] = newestFirst(await logged());
            if (newest !== undefined) context.report(`${said}; ${sentenceOf(newest)}`);
            quietSince = Date.now();
        }
        await sleep(workloadPauses.seconds * 1000, undefined, { signal: context.signal });
    }
}

async function look(api: KubeApi, name: WorkloadName, context: Context): Promise<WorkloadSeen | undefined> {
    try {
        return await lookAtWorkload(api, name);
    } catch (error) {
        if (!(error instanceof NfvError) || error.code !== "API_UNREACHABLE") throw error;
        context.report(`the management cluster does not answer: ${error.reason}`);
        return undefined;
    }
}

interface Late {
    clusterName: string;
    cni: string | undefined;
    step: string;
    timeoutSeconds: number;
    said: string;
    /** From the controllers' logs. */
    logged: SeenEvent[];
}

function tooLate(seen: WorkloadSeen | undefined, late: Late): NfvError {
    const { clusterName, cni, step, timeoutSeconds, said, logged } = late;
    const hinders = seen === undefined ? "" : whatHinders({ ...seen, warnings: [...seen.warnings, ...logged] });
    const hint = podNetworkHint(`${said}\n${hinders}`, cni);
    return new NfvError({
        code: "WORKLOAD_NOT_READY",
        node: `workload cluster "${clusterName}"`,
        step,
        cause: `${said || "the management cluster did not answer"} (after ${timeoutSeconds} s)\n${hinders}`.trim(),
        ...(hint && { hint: `${hint}\n${errorCodes.WORKLOAD_NOT_READY.hint}` }),
    });
}

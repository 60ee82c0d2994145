import { NfvError } from "../../common/errors";
import { type KubeApi, readClusterUid, settle } from "../../vim";
import { apiOf, type ClusterAccess, liveSeconds } from "../../vim/check-cluster";
import { clusterPath, readWorkloadAccess, type WorkloadName } from "../look-at-workload";
import { identityOf, isMovable } from "../move/movable";
import { markOf } from "../move/transit";
import type { MoveObject } from "../move/types";
import { whereItIs } from "../move/where-it-is";
import type { WorkloadAccess } from "../workload-kubeconfig";
import type { HeldObjects } from "./applied-objects";

/** Tests have clusters in memory. */
export const workloadApis = { of: (access: ClusterAccess): KubeApi => apiOf(access) };

interface Asked extends WorkloadName {
    /** Of the management cluster where the program made it. Secret. */
    access: ClusterAccess;
    /** Undefined: its objects cannot move. */
    held?: HeldObjects;
}

/** What is known of a cluster that was made. */
export type Known = WorkloadAccess & { uid: string };

/** The access to the management cluster that has a workload cluster now. Without an object that can move, nothing is asked. */
export async function accessNow(asked: Asked, known?: Known): Promise<ClusterAccess> {
    const { access, held } = asked;
    if (held === undefined) return access;
    try {
        const place = await settle(liveSeconds, () => whereItIs(access, asked, workloadApis.of));
        if (place.cluster !== undefined || place.isMoved) return place.login;
        // Another tool may have moved it, and left no note.
        return (await itself(asked, known)) ?? access;
    } catch (error) {
        if (!(error instanceof NfvError) || !["API_UNREACHABLE", "API_REFUSED"].includes(error.code)) throw error;
        const self = await itself(asked, known);
        if (self === undefined) throw error;
        return self;
    }
}

/** The same inputs or state, with the access to where the cluster is. */
export const asNow = async <T extends Asked>(asked: T, known?: Known): Promise<T> => ({
    ...asked,
    access: await accessNow(asked, known),
});

/** The access to the cluster itself, if it is known to manage itself. A Cluster goes on only where no other management cluster has it. */
async function itself(asked: Asked, known: Known | undefined): Promise<ClusterAccess | undefined> {
    if (known === undefined || known.endpoint === "") return undefined;
    const access = selfAccess(known);
    const cluster = await workloadApis
        .of(access)
        .get<MoveObject>(clusterPath(asked))
        .catch(() => undefined);
    const isIt = cluster !== undefined && identityOf(cluster) === known.uid && isMovable(cluster);
    return isIt && markOf(cluster) === undefined ? access : undefined;
}

const selfAccess = ({ endpoint, caCertificate, clientCertificate, clientKey }: WorkloadAccess): ClusterAccess => ({
    endpoint,
    caCertificate,
    auth: { clientCertificate, clientKey },
});

/**
 * A cluster that manages itself would remove its controllers with its machines, and leave the rest in the cloud.
 * @throws CLUSTER_IN_USE
 */
export async function refuseIfItManagesItself({ access, clusterName, ...place }: Asked): Promise<void> {
    const api = workloadApis.of(access);
    const own = await settle(liveSeconds, () => readWorkloadAccess(api, { clusterName, ...place }));
    if (own === undefined || own.endpoint === "") return;
    if (own.endpoint !== access.endpoint) {
        const uids = await Promise.all([
            settle(liveSeconds, () => readClusterUid(api)),
            readClusterUid(workloadApis.of(selfAccess(own))).catch(() => undefined),
        ]);
        if (uids[0] === undefined || uids[0] !== uids[1]) return;
    }
    throw new NfvError({
        code: "CLUSTER_IN_USE",
        cause: "it manages itself: its controllers would go with its machines, and what they have not removed yet would stay in the cloud",
        hint: "Let it come back first: run pulumi up without its MovedClusters, or pulumi destroy of the program that has them. Then run the same command again.",
    });
}

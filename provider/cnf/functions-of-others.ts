import { NfvError } from "../common/errors";
import { giveUpVariable, isGivenUp } from "../contract/give-up";
import { runFacts } from "../contract/run-facts";
import type { Context } from "../contract/types";
import { type KubeObject, settle } from "../vim";
import { apiOf, type ClusterAccess, liveSeconds } from "../vim/check-cluster";
import { ownerOf } from "../vim/ownership";

/** What runs of a network function. The pods that these make carry no mark of their own. */
const workloads: Record<string, string> = {
    Deployment: "/apis/apps/v1/deployments",
    StatefulSet: "/apis/apps/v1/statefulsets",
    DaemonSet: "/apis/apps/v1/daemonsets",
    CronJob: "/apis/batch/v1/cronjobs",
    Job: "/apis/batch/v1/jobs",
    Pod: "/api/v1/pods",
};

type Workload = KubeObject & { status?: { phase?: string; conditions?: { type: string; status: string }[] } };

export interface Cluster {
    clusterId: string;
    /** As administrator. */
    access: ClusterAccess;
}

/**
 * Network functions end before the cluster on which they run, also those of other stacks. A cluster that does not answer can be destroyed: otherwise one
 * that is lost for good could not. @throws CLUSTER_IN_USE
 */
export async function refuseUnderFunctions({ clusterId, access }: Cluster, context: Context): Promise<void> {
    let found: Workload[];
    try {
        found = await settle(liveSeconds, () => running(access));
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`whether network functions of other stacks run on ${clusterId} cannot be asked: ${error.reason}`);
        return;
    }
    const users = usersOf(found, [clusterId, ...runFacts(context).did.gaveBack]);
    const isLeft = ({ name }: User) => isGivenUp(clusterId, `cnf:${name}`);
    const [left, stay] = [users.filter(isLeft), users.filter(each => !isLeft(each))];
    const lines = (which: readonly User[]) => which.map(({ name, objects }) => `${name}: ${objects.join(", ")}`);
    if (left.length > 0)
        context.warn(`${clusterId}: these end with it, as you gave them up:\n${lines(left).join("\n")}`);
    if (stay.length === 0) return;
    const named = users.map(({ name }) => `${clusterId}/cnf:${name}`).join(",");
    throw new NfvError({
        code: "CLUSTER_IN_USE",
        node: clusterId,
        cause: `network functions of other stacks run on it:\n${lines(stay).join("\n")}`,
        hint:
            "Destroy their stacks first, or delete what the message names. To end them with the cluster: " +
            `${giveUpVariable}=${named} pulumi destroy.`,
    });
}

interface User {
    /** Of the Cnf, or of another resource of this package. */
    name: string;
    objects: string[];
}

/** By owner, without these owners. Pure. */
export function usersOf(found: readonly Workload[], ours: readonly string[]): User[] {
    const byName = new Map<string, string[]>();
    for (const object of found.filter(runs)) {
        const owner = ownerOf(object);
        if (owner === undefined || ours.includes(owner)) continue;
        const { kind, metadata } = object;
        const name = owner.replace(/-[0-9a-f]{12}$/, "");
        byName.set(name, [...(byName.get(name) ?? []), `${kind} ${metadata.namespace}/${metadata.name}`]);
    }
    return [...byName]
        .map(([name, objects]) => ({ name, objects: objects.sort() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const ended = ["Complete", "Failed"];

function runs({ kind, status }: Workload): boolean {
    if (kind === "Pod") return !["Succeeded", "Failed"].includes(status?.phase ?? "");
    return !status?.conditions?.some(each => kind === "Job" && ended.includes(each.type) && each.status === "True");
}

async function running(access: ClusterAccess): Promise<Workload[]> {
    const api = apiOf(access);
    const lists = await Promise.all(
        Object.entries(workloads).map(async ([kind, path]) => {
            const list = await api.get<{ items: Workload[] }>(path);
            // The items of a list do not say their kind.
            return (list?.items ?? []).map(item => ({ ...item, kind }));
        }),
    );
    return lists.flat();
}

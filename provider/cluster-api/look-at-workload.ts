import type { KubeApi } from "../vim";
import { type IsOwn, ownNames } from "./own-names";
import { accessOf, kubeconfigSecret, type WorkloadAccess } from "./workload-kubeconfig";
import type { Seen, SeenEvent, WorkloadSeen } from "./workload-seen";

export interface WorkloadName {
    namespace: string;
    clusterName: string;
}

const core = "/apis/cluster.x-k8s.io/v1beta2";
const clusterLabel = "cluster.x-k8s.io/cluster-name";

export const clusterPath = ({ namespace, clusterName }: WorkloadName) =>
    `${core}/namespaces/${namespace}/clusters/${clusterName}`;

/** Reads all objects of a workload cluster in the management cluster; a topology's pools are MachineDeployments, too. */
export async function lookAtWorkload(api: KubeApi, name: WorkloadName): Promise<WorkloadSeen> {
    const { namespace, clusterName } = name;
    const cluster = await api.get<Seen>(clusterPath(name));
    if (cluster === undefined) return { pools: [], machines: [], warnings: [] };
    const label = encodeURIComponent(`${clusterLabel}=${clusterName}`);
    const list = async (kind: string, plural: string): Promise<Seen[]> => {
        const found = await api.get<{ items: Seen[] }>(
            `${core}/namespaces/${namespace}/${plural}?labelSelector=${label}`,
        );
        // Items of a list have no kind.
        return (found?.items ?? []).map(item => ({ ...item, kind }));
    };
    // They only say whose warnings these are.
    const listIfAllowed = (kind: string, plural: string) => list(kind, plural).catch((): Seen[] => []);
    const [controlPlane, pools, machines, machineSets, checks, events] = await Promise.all([
        controlPlaneOf(api, namespace, cluster),
        list("MachineDeployment", "machinedeployments"),
        list("Machine", "machines"),
        listIfAllowed("MachineSet", "machinesets"),
        listIfAllowed("MachineHealthCheck", "machinehealthchecks"),
        eventsIn(api, namespace),
    ]);
    const seen = {
        cluster,
        ...(controlPlane && { controlPlane }),
        pools: pools.sort(byName),
        machines: machines.sort(byName),
        others: [...machineSets, ...checks],
        warnings: [],
    };
    return { ...seen, warnings: warningsIn(events, ownNames(seen)) };
}

/** The Machines, and nothing else. */
export async function machinesOfWorkload(api: KubeApi, { namespace, clusterName }: WorkloadName): Promise<Seen[]> {
    const label = encodeURIComponent(`${clusterLabel}=${clusterName}`);
    const path = `${core}/namespaces/${namespace}/machines?labelSelector=${label}`;
    return (await api.get<{ items: Seen[] }>(path))?.items ?? [];
}

const byName = (a: Seen, b: Seen) => (a.metadata.name < b.metadata.name ? -1 : 1);

/** Other control planes than kubeadm's have no common place: the Cluster's own conditions then decide. */
async function controlPlaneOf(api: KubeApi, namespace: string, { spec }: Seen): Promise<Seen | undefined> {
    const { kind, name } = spec?.controlPlaneRef ?? {};
    if (kind !== "KubeadmControlPlane") return undefined;
    const path = `/apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/${namespace}/kubeadmcontrolplanes/${name}`;
    return api.get<Seen>(path);
}

interface RawEvent {
    type?: string;
    reason?: string;
    message?: string;
    involvedObject?: { kind?: string; name?: string };
    lastTimestamp?: string;
    eventTime?: string;
}

/** A cluster without the right to read events still works. */
async function eventsIn(api: KubeApi, namespace: string): Promise<RawEvent[]> {
    const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=${encodeURIComponent("type=Warning")}`;
    const found = await api.get<{ items: RawEvent[] }>(path).catch(() => undefined);
    return found?.items ?? [];
}

function warningsIn(events: readonly RawEvent[], isOwn: IsOwn): SeenEvent[] {
    return events
        .filter(({ involvedObject }) => isOwn(involvedObject?.kind, involvedObject?.name ?? ""))
        .map(({ involvedObject, reason = "", message = "", lastTimestamp, eventTime }) => ({
            object: `${involvedObject?.kind} ${involvedObject?.name}`,
            reason,
            message: message.replace(/\s*\n\s*/g, " "),
            at: lastTimestamp ?? eventTime ?? "",
        }));
}

/** Undefined until Cluster API has made it. */
export async function readWorkloadAccess(
    api: KubeApi,
    { namespace, clusterName }: WorkloadName,
): Promise<WorkloadAccess | undefined> {
    const path = `/api/v1/namespaces/${namespace}/secrets/${kubeconfigSecret(clusterName)}`;
    const secret = await api.get<{ data?: Record<string, string> }>(path);
    const value = secret?.data?.["value"];
    return value === undefined ? undefined : accessOf(Buffer.from(value, "base64").toString());
}

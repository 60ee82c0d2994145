import type { NodeState } from "../node";
import { isEndpoint } from "./cluster-act";
import { group, version } from "./definitions";
import type { SeenMachine } from "./machine-act";
import type { ManagementApi } from "./management-api";
import type { Cluster, LabCluster, LabMachine, Machine, Metadata } from "./types";

/** All that the provider reads in one look. */
export interface Look {
    clusters: Cluster[];
    machines: Machine[];
    labClusters: LabCluster[];
    labMachines: LabMachine[];
    nodes: { name: string; address: string; state: NodeState }[];
}

const core = "/apis/cluster.x-k8s.io/v1beta2";
export const own = `/apis/${group}/${version}`;

export async function look(api: ManagementApi): Promise<Omit<Look, "nodes">> {
    const list = async <T>(path: string) => (await api.get<{ items: T[] }>(path)).items;
    const [clusters, machines, labClusters, labMachines] = await Promise.all([
        list<Cluster>(`${core}/clusters`),
        list<Machine>(`${core}/machines`),
        list<LabCluster>(`${own}/labclusters`),
        list<LabMachine>(`${own}/labmachines`),
    ]);
    return { clusters, machines, labClusters, labMachines };
}

const clusterLabel = "cluster.x-k8s.io/cluster-name";
const controlPlaneLabel = "cluster.x-k8s.io/control-plane";

export function clusterOf({ namespace, labels }: Metadata, { clusters }: Look): Cluster | undefined {
    return clusters.find(
        ({ metadata }) => metadata.namespace === namespace && metadata.name === labels?.[clusterLabel],
    );
}

/** A machine with all that decides about it. Pure. */
export function seenMachine(machine: LabMachine, all: Look): SeenMachine {
    const { metadata } = machine;
    const ownerName = metadata.ownerReferences?.find(({ kind }) => kind === "Machine")?.name;
    const owner = all.machines.find(
        each => each.metadata.name === ownerName && each.metadata.namespace === metadata.namespace,
    );
    return {
        machine,
        owner,
        cluster: clusterOf(metadata, all),
        node: all.nodes.find(({ name }) => name === metadata.name),
    };
}

/** Versions for the node of a machine: programs of the machine's own, and container images also of the others. Pure. */
export function nodeVersions(wished: string | undefined, known: readonly string[]): string[] {
    const own = wished?.replace(/^v/, "") ?? known[0]!;
    return [own, ...known.filter(each => each !== own)];
}

/** Where the load balancer listens, and the nodes behind: control-plane machines that are on and stay. Pure. */
export function frontsOf(all: Look): Record<string, string[]> {
    const fronts = all.labClusters.flatMap(({ metadata, spec }): [string, string[]][] => {
        const host = spec?.controlPlaneEndpoint?.host;
        if (host === undefined || !isEndpoint(host)) return [];
        const behind = all.labMachines.filter(
            ({ metadata: { namespace, labels = {} } }) =>
                namespace === metadata.namespace &&
                labels[clusterLabel] === metadata.labels?.[clusterLabel] &&
                controlPlaneLabel in labels,
        );
        const nodes = behind.flatMap(({ metadata: { name } }) =>
            all.nodes.filter(node => node.name === name && node.state !== "off"),
        );
        return [[host, nodes.map(({ address }) => address).sort()]];
    });
    return Object.fromEntries(fronts);
}

/** What several management clusters know: while a cluster moves, each of them may have a part of its machines. Pure. */
export function together(all: readonly Record<string, string[]>[]): Record<string, string[]> {
    const hosts = [...new Set(all.flatMap(Object.keys))];
    const of = (host: string) => [...new Set(all.flatMap(fronts => fronts[host] ?? []))].sort();
    return Object.fromEntries(hosts.map(host => [host, of(host)]));
}

import { isPaused } from "./machine-act";
import type { Cluster, LabCluster, Status } from "./types";

export type ClusterAct = { do: "wait" } | { do: "report"; endpoint: { host: string; port: number }; status: Status };

/** What the provider does next for a cluster: the contract InfraCluster of Cluster API. Pure; `taken`: endpoints of other clusters. */
export function clusterAct(
    { metadata, spec, status }: LabCluster,
    cluster: Cluster | undefined,
    taken: readonly string[],
): ClusterAct {
    const isReported = status?.initialization?.provisioned === true && spec?.controlPlaneEndpoint?.host !== undefined;
    if (cluster === undefined || isPaused(metadata, cluster) || metadata.deletionTimestamp || isReported) {
        return { do: "wait" };
    }
    const { host = freeEndpoint(taken), port = 6443 } = spec?.controlPlaneEndpoint ?? {};
    return { do: "report", endpoint: { host, port }, status: { initialization: { provisioned: true } } };
}

/** Addresses above those that nodes get. */
const endpoints = Array.from({ length: 4 }, (_, i) => `10.99.0.${251 + i}`);

export const isEndpoint = (address: string) => endpoints.includes(address);

export function freeEndpoint(taken: readonly string[]): string {
    const free = endpoints.find(address => !taken.includes(address));
    if (free === undefined) throw new Error(`a lab has room for ${endpoints.length} workload clusters`);
    return free;
}

import type { KeptByMachines } from "../../provider/cluster-api/workload/workload-kept";
import type { Named } from "./machine-template";

interface ClusterSpec {
    clusterNetwork?: {
        pods?: { cidrBlocks?: string[] };
        services?: { cidrBlocks?: string[] };
        serviceDomain?: string;
    };
}

interface OpenStackClusterSpec {
    identityRef?: { type?: string; name?: string; cloudName?: string };
}

/** What machines keep from the day on which they are made. Cluster API accepts another value of it, and breaks them. */
export function keptByMachines(objects: readonly Named[], cni?: string): KeptByMachines {
    const specOf = (kind: string) => objects.find(each => each.kind === kind)?.["spec"] ?? {};
    const { clusterNetwork: { pods, services, serviceDomain } = {} } = specOf("Cluster") as ClusterSpec;
    const { identityRef: { type = "Secret", name = "", cloudName = "" } = {} } = specOf(
        "OpenStackCluster",
    ) as OpenStackClusterSpec;
    const titleOf = (kind: string, of: string) => `${kind} ${of}, cloud ${cloudName}`;
    const kinds: Record<string, string> = { Secret: "Secret", ClusterIdentity: "OpenStackClusterIdentity" };
    const logins = objects
        .filter(({ kind }) => Object.values(kinds).includes(kind))
        .map(({ kind, metadata }) => titleOf(kind, metadata.name));
    const used = titleOf(kinds[type] ?? type, name);
    return {
        network: {
            podCidr: pods?.cidrBlocks ?? [],
            serviceCidr: services?.cidrBlocks ?? [],
            dnsDomain: serviceDomain ?? "",
        },
        ...(cni !== undefined && { cni }),
        logins,
        ...(logins.includes(used) && { login: used }),
    };
}

import type { KubeApi } from "../vim";
import type { WorkloadName } from "./look-at-workload";

interface OpenStackCluster {
    metadata: { name: string; namespace: string };
    spec?: { identityRef?: { type?: string; name?: string } };
}

/** Clusters other than `own` that log in to the cloud by this OpenStackClusterIdentity: "NAMESPACE/NAME". Without it they could not be removed. */
export async function identityUsers(api: KubeApi, identity: string, own: WorkloadName): Promise<string[]> {
    const path = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/openstackclusters";
    const found = await api.get<{ items: OpenStackCluster[] }>(path);
    return (found?.items ?? [])
        .filter(({ spec }) => spec?.identityRef?.type === "ClusterIdentity" && spec.identityRef.name === identity)
        .map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)
        .filter(user => user !== `${own.namespace}/${own.clusterName}`)
        .sort();
}

import { workloadDefaults } from "../args/workload-defaults";
import type {
    WorkloadControlPlaneArgs,
    WorkloadHealthCheckArgs,
    WorkloadInputs,
    WorkloadKubeadmArgs,
    WorkloadNetworkArgs,
    WorkloadOpenStackArgs,
    WorkloadPoolArgs,
} from "../args/workload-inputs";

/** A workload cluster with typed inputs, defaults included. */
export interface WorkloadSpec {
    name: string;
    namespace: string;
    /** "v1.36.3". */
    version: string;
    paused: boolean;
    openstack: WorkloadOpenStackArgs & Required<Pick<WorkloadOpenStackArgs, "apiAccess">>;
    /** The Secret with clouds.yaml, and what the cluster refers to: that Secret, or an identity that several clusters may use. */
    identity: { secretName: string; cloudName: string; clusterIdentity?: string; region?: string };
    controlPlane: WorkloadControlPlaneArgs & { replicas: number };
    pools: Record<string, WorkloadPoolArgs>;
    network: Required<Pick<WorkloadNetworkArgs, "podCidr" | "serviceCidr" | "dnsDomain" | "cni">> &
        Pick<WorkloadNetworkArgs, "podsReachMetadata">;
    kubeadm: WorkloadKubeadmArgs;
    healthCheck?: Required<Omit<WorkloadHealthCheckArgs, "maxUnhealthy">> &
        Pick<WorkloadHealthCheckArgs, "maxUnhealthy">;
    /** Manifests of the cluster's own objects, as texts: the pod network and add-ons. */
    manifests: Record<string, string>;
}

/** Name of the Secret that we make. */
export const identitySecretName = (cluster: string) => `${cluster}-cloud-config`;

/** The spec of arguments without problems. `manifests`: what the cluster's own API gets. */
export function workloadSpec(name: string, args: WorkloadInputs, manifests: Record<string, string>): WorkloadSpec {
    const { openstack, controlPlane, version, pools = {}, network, kubeadm = {}, healthCheck } = args;
    const { secretName, cloudName, clusterIdentity, region } = openstack!.identity;
    return {
        name,
        namespace: args.namespace ?? workloadDefaults.namespace,
        version: withV(version!),
        paused: args.paused ?? false,
        openstack: { ...openstack!, apiAccess: openstack!.apiAccess ?? workloadDefaults.apiAccess },
        identity: {
            secretName: secretName ?? identitySecretName(name),
            cloudName: cloudName ?? workloadDefaults.cloudName,
            ...(clusterIdentity !== undefined && { clusterIdentity }),
            ...(region !== undefined && { region }),
        },
        controlPlane: { ...controlPlane!, replicas: controlPlane!.replicas ?? 1 },
        pools,
        network: { ...workloadDefaults.network, ...network },
        kubeadm,
        ...(healthCheck && { healthCheck: { ...workloadDefaults.healthCheck, ...healthCheck } }),
        manifests,
    };
}

export const withV = (version: string) => (version.startsWith("v") ? version : `v${version}`);

/** As Kubernetes writes it: 1, or "20%". */
export const numberOrShare = (given: number | string) => (`${given}`.endsWith("%") ? given : Number(given));

import type { Vim } from "../vim/vim";
import type { ClusterApiProviderArgs } from "./cluster-api-provider-args";

/** Cluster API on a cluster: its controllers and what they need. WorkloadClusters are made there. */
export interface ManagementClusterArgs {
    /**
     * The cluster: `vim` of a KubernetesCluster, or of any other. The program's own login is used, and must be an administrator's.
     * @change again: on another cluster; refused while the previous one has workload clusters
     */
    vim: Vim;
    /**
     * Folder of a bundle with the add-ons `cluster-api` and `cluster-api-openstack`: it has the providers' components, and nodes that are made from it have
     * their images.
     * @change step: providers are installed, upgraded in place, or removed where none of their objects is left; their definitions stay
     */
    bundle?: string;
    /**
     * Providers by the names that clusterctl has for them. What is listed is all that is installed; `{}` takes one as the bundle has it.
     * @default cluster-api, bootstrap-kubeadm, control-plane-kubeadm and infrastructure-openstack, from the bundle
     * @change step: providers are installed, upgraded in place, or removed where none of their objects is left; their definitions stay
     * @keys word
     */
    providers?: Record<string, ClusterApiProviderArgs>;
    /**
     * Registry of all images that are below registry.k8s.io.
     * @default "registry.k8s.io"
     * @change step
     * @format repository
     */
    imageRepository?: string;
    /**
     * How long a provider may take until its pods are available, in seconds.
     * @default 600
     * @change nothing
     */
    timeoutSeconds?: number;
}

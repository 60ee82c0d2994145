import type { Vim } from "../vim/vim";
import type { ClusterApiProviderArgs } from "./cluster-api-provider-args";

/** Cluster API on a cluster: its controllers and what they need. WorkloadClusters are made there. */
export interface ManagementClusterArgs {
    /** The cluster: `vim` of a KubernetesCluster, or of any other. The program's own login is used, and must be an administrator's. */
    vim: Vim;
    /**
     * Folder of a bundle with the add-ons `cluster-api` and `cluster-api-openstack`: it has the providers' components, and nodes that are made from it have
     * their images.
     */
    bundle?: string;
    /**
     * Providers by the names that clusterctl has for them. What is listed is all that is installed; `{}` takes one as the bundle has it.
     * @default cluster-api, bootstrap-kubeadm, control-plane-kubeadm and infrastructure-openstack, from the bundle
     * @keys word
     */
    providers?: Record<string, ClusterApiProviderArgs>;
    /**
     * Registry of all images that are below registry.k8s.io.
     * @default "registry.k8s.io"
     * @format repository
     */
    imageRepository?: string;
    /**
     * How long a provider may take until its pods are available, in seconds.
     * @default 600
     */
    timeoutSeconds?: number;
}

import type { ManagementCluster } from "../cluster-api/management-cluster";
import type { Vim } from "../vim/vim";
import type { ServiceAccountArgs } from "./vim-args";
import type { WorkloadInputs } from "./workload-inputs";

/**
 * A Kubernetes cluster that Cluster API makes and keeps: its machines are servers of an OpenStack cloud. Exactly one of `openstack` (with
 * `controlPlane`) and `manifests` is set.
 */
export interface WorkloadClusterArgs extends WorkloadInputs {
    /** Where Cluster API runs. Exactly one of `management` and `managementVim` is set. @change again: on another management cluster */
    management?: ManagementCluster;
    /** A cluster on which somebody else has installed Cluster API. @change again: on another management cluster */
    managementVim?: Vim;
    /**
     * The account of the output `vim`.
     * @default an account with the rights of a VIM in the namespace nfv
     */
    serviceAccount?: ServiceAccountArgs;
}

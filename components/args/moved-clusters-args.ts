import type { ManagementCluster } from "../cluster-api/management-cluster";
import type { Vim } from "../vim/vim";

/**
 * Workload clusters that go from one management cluster to another, which may be one of themselves. All clusters of a namespace move together, with all that
 * belongs to them.
 */
export interface MovedClustersArgs {
    /** Where they were. Exactly one of `from` and `fromVim` is set. @change again: the clusters are brought back first */
    from?: ManagementCluster;
    /** A cluster on which somebody else has installed Cluster API. @change again: the clusters are brought back first */
    fromVim?: Vim;
    /**
     * Where they go. It has the same providers in the same versions. Exactly one of `to` and `toVim` is set.
     * @change again: the clusters are brought back first
     */
    to?: ManagementCluster;
    /** A cluster on which somebody else has installed Cluster API. @change again: the clusters are brought back first */
    toVim?: Vim;
    /**
     * Namespaces whose clusters move.
     * @default all
     * @change step: clusters of other namespaces move, those of a namespace that is left out come back
     * @format dnsLabel
     */
    namespaces?: string[];
    /**
     * How long controllers may take to pause, and machines to be finished, in seconds; also on the way back.
     * @default 600
     * @change nothing
     */
    timeoutSeconds?: number;
}

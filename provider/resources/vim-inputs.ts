import type { ServiceAccountSpec, VimAuth, VimEndpoint } from "../vim";
import type { CommonInputs } from "./types";

export interface VimInputs extends CommonInputs, VimEndpoint {
    /** Name of the VIM: in the kubeconfig and in vimConnectionInfo. */
    name: string;
    /** As the program says it. Undefined: the uid says which cluster it is. */
    clusterIdentifier?: string;
    /** What the cluster is for Pulumi: of the program only at first, then kept by check; see vim-cluster.ts. */
    clusterId?: string;
    /** Made by check: uid of kube-system, as it was last seen. Undefined: it could not be asked yet, or may not be read. */
    clusterUid?: string;
    auth: VimAuth;
    /** Undefined: the credentials given are themselves handed out. */
    serviceAccount?: ServiceAccountSpec;
    /** Mark that the account and its namespaces carry; with serviceAccount. */
    owner?: string;
    /** Another number asks for another token; the former one stops working. @default 1 */
    tokenGeneration?: number;
}

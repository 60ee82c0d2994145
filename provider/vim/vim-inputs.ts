import type { CommonInputs } from "../contract/types";
import type { ServiceAccountSpec, VimAuth, VimConnectionInfo, VimEndpoint } from ".";

export interface VimInputs extends CommonInputs, VimEndpoint {
    /** Name of the VIM: in the kubeconfig and in vimConnectionInfo. */
    name: string;
    /** The user's name for the cluster. Undefined: the uid identifies it. */
    clusterIdentifier?: string;
    /** Pulumi's name for the cluster: first from the program, then kept by check; see vim-cluster.ts. */
    clusterId?: string;
    /**
     * Set by check: uid of kube-system, as last read. Undefined: it could not be read yet, or the credentials may not.
     */
    clusterUid?: string;
    auth: VimAuth;
    /** It depends on other resources, which may make or repair its cluster: until then it may not answer. */
    dependent?: boolean;
    /** Undefined: the given credentials themselves are handed out. */
    serviceAccount?: ServiceAccountSpec;
    /** Mark on the account and its namespaces; requires serviceAccount. */
    owner?: string;
    /** A different number requests a new token; the former one stops working. @default 1 */
    tokenGeneration?: number;
}

export interface VimOutputs {
    /** Known at preview, also if another one is requested. */
    clusterId: string;
    /** The token that is handed out; "" for a client certificate. Secret. */
    bearerToken: string;
    /** When it expires, ISO 8601; "" if it does not. */
    tokenExpires: string;
    /** Secret. */
    kubeconfig: string;
    /** "v1.36.3". */
    serverVersion: string;
    /** Secret. */
    vimConnectionInfo: VimConnectionInfo;
}

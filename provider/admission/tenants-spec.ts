import type { Taint } from "../common/model";

/** What a cluster's tenants may use beyond their namespaces. */
export interface TenantsSpec {
    /** Addresses and networks that Services may take. */
    externalIps: string[];
    /** Addresses of the API and of the storage server: never a Service's. */
    reserved: string[];
    /** Addresses of the storage server. */
    storageServers: string[];
    /** Other NFS servers that pods may mount without a claim, as they write them. */
    nfsServers: string[];
    /** Taints that keep pods away from control-plane nodes; empty: nothing does. */
    controlPlaneTaints: Taint[];
}

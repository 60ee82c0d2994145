import type { Taint } from "../model";
import { toYaml } from "../to-yaml";
import { podsPolicy } from "./pods";
import { policyObjects } from "./policy";
import { servicesPolicy } from "./services";
import { storagePolicy } from "./storage";

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

/** All policies, always: without a storage server the one for its volumes lets everything pass, and an earlier one is replaced. */
const policies = [servicesPolicy, podsPolicy, storagePolicy];

/** The policies that hold tenants back, as one YAML text. Pure. */
export function tenantPolicies(spec: TenantsSpec): string {
    return toYaml(...policies.flatMap(policy => policyObjects(policy(spec))));
}

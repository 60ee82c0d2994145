import { toYaml } from "../common/to-yaml";
import { podsPolicy } from "./pods";
import { policyObjects } from "./policy";
import { servicesPolicy } from "./services";
import { storagePolicy } from "./storage";
import type { TenantsSpec } from "./tenants-spec";

/** All policies, always: without a storage server the one for its volumes lets everything pass, and an earlier one is replaced. */
const policies = [servicesPolicy, podsPolicy, storagePolicy];

/** The policies that hold tenants back, as one YAML text. Pure. */
export function tenantPolicies(spec: TenantsSpec): string {
    return toYaml(...policies.flatMap(policy => policyObjects(policy(spec))));
}

import type { KubernetesClusterArgs } from "../../../../../components/args/args";
import type { NovaArgs } from "../../../../../components/args/infrastructure-args";
import { planServers } from "../../../../../components/infrastructure/openstack/plan/plan-servers";
import type { ServerPlan } from "../../../../../components/infrastructure/openstack/plan/server-plan";

/** Arguments of a cluster on a cloud: the required ones, and what a test adds. */
export function cloudArgs(
    cloud: Partial<NovaArgs> = {},
    more: Partial<KubernetesClusterArgs> = {},
): KubernetesClusterArgs {
    return {
        clusterName: "core",
        infrastructure: { nova: { image: "debian", flavor: "medium", externalNetwork: "public", ...cloud } },
        kubernetes: { version: "1.36.3" },
        controlPlane: { count: 3 },
        pools: { workers: { count: 2 } },
        ...more,
    };
}

export function planOf(
    cloud: Partial<NovaArgs> = {},
    more: Partial<KubernetesClusterArgs> = {},
    program = { project: "shop", stack: "dev" },
): ServerPlan {
    return planServers(cloudArgs(cloud, more), "unused", program);
}

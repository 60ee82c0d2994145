import type * as pulumi from "@pulumi/pulumi";
import { virtualRouterId } from "../../provider/endpoint/virtual-router-id";
import type { KubernetesClusterArgs, MachineArgs } from "../args";
import type { SshArgs } from "../ssh-args";
import type { ServerPlan } from "./server-plan";

/** What is known of servers after their creation, or placeholders for it. */
export interface Addresses {
    /** By node name. */
    nodes: Record<string, pulumi.Input<string>>;
    vip?: { address: pulumi.Input<string>; prefixLength: pulumi.Input<number> };
    /** Address of the API from outside, if it differs from the address inside. */
    apiHost?: pulumi.Input<string>;
    /** By node name. */
    ssh?: Record<string, SshArgs>;
}

/**
 * Replaces the cloud in the arguments by existing machines: the rest of the cluster does not depend on where machines come from.
 * Does not resolve values.
 */
export function withMachines(
    args: KubernetesClusterArgs,
    plan: ServerPlan,
    addresses: Addresses,
): KubernetesClusterArgs {
    const machines = (keep: (server: ServerPlan["servers"][number]) => boolean): Record<string, MachineArgs> =>
        Object.fromEntries(
            plan.servers
                .filter(keep)
                .map(({ name }) => [name, { address: addresses.nodes[name]!, ssh: addresses.ssh?.[name] }]),
        );
    const { count: _, flavor: __, server: ___, ...controlPlane } = args.controlPlane ?? {};
    const pools = Object.entries(args.pools ?? {}).map(([pool, { count, flavor, server, ...rest }]) => [pool, rest]);
    return {
        ...args,
        infrastructure: {
            hosts: {
                controlPlane: machines(({ role }) => role === "controlPlane"),
                pools: Object.fromEntries(pools.map(([pool]) => [pool, machines(server => server.pool === pool)])),
            },
        },
        controlPlane: { ...controlPlane, ...endpointOf(args, plan, addresses) },
        pools: Object.fromEntries(pools),
    };
}

function endpointOf(args: KubernetesClusterArgs, { clusterName }: ServerPlan, { vip, apiHost }: Addresses) {
    const sans = [...(args.controlPlane?.certificateSans ?? []), ...(apiHost === undefined ? [] : [apiHost])];
    const certificateSans = sans.length > 0 && { certificateSans: sans };
    if (vip === undefined) return { ...certificateSans };
    const wish = args.controlPlane?.endpoint?.vip;
    return {
        endpoint: {
            vip: {
                ...wish,
                // By type it is text, because users write text; here it may be an output, and is only passed on.
                address: vip.address as string,
                prefixLength: vip.prefixLength as number,
                // Derived from the user's address or from none: the cloud's address is not known yet when preview plans the steps.
                virtualRouterId: virtualRouterId(clusterName, wish ?? {}),
            },
        },
        ...certificateSans,
    };
}

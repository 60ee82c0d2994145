import type * as pulumi from "@pulumi/pulumi";
import { virtualRouterId } from "../../provider/endpoint/virtual-router-id";
import type { KubernetesClusterArgs, MachineArgs } from "../args";
import type { SshArgs } from "../ssh-args";
import type { ServerPlan } from "./server-plan";

/** What is known of servers once they are made, or stands for it. */
export interface Addresses {
    /** By node name. */
    nodes: Record<string, pulumi.Input<string>>;
    vip?: { address: pulumi.Input<string>; prefixLength: pulumi.Input<number> };
    /** Where the API is reached from outside, if not at its address within. */
    apiHost?: pulumi.Input<string>;
    /** By node name. */
    ssh?: Record<string, SshArgs>;
}

/**
 * The arguments with machines that exist in place of a cloud: from here on a cluster does not know where its machines came from.
 * Only moves values around.
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
                // The type says text because users write text: here it may arrive later, and is only passed on.
                address: vip.address as string,
                prefixLength: vip.prefixLength as number,
                // Of the user's address, or of none: the address that the cloud chooses is not known when preview wants to show the steps.
                virtualRouterId: virtualRouterId(clusterName, wish ?? {}),
            },
        },
        ...certificateSans,
    };
}

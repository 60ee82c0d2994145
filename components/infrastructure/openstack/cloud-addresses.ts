import type * as pulumi from "@pulumi/pulumi";
import { orPlaceholder } from "../../../provider/adapters/or-placeholder";
import type { KubernetesClusterArgs } from "../../args/args";
import type { Addresses, Provisioned } from "../infrastructure";
import type { ServerPlan } from "./plan/server-plan";
import type { Servers } from "./servers";

/** Placeholders for addresses that are not known at preview (RFC 5737): two of each, so that a difference shows what depends on them. */
const documentationNetworks = ["192.0.2", "198.51.100"] as const;

/** Where the servers that a back end made are reached. */
export function cloudAddresses(
    args: KubernetesClusterArgs,
    plan: ServerPlan,
    made: Servers,
    storage: pulumi.Input<string> | undefined,
): Pick<Provisioned, "addresses" | "placeholders"> {
    const apiHost = apiHostOf(args, plan, made);
    const real: Addresses = {
        nodes: mapValues(made.servers, ({ address }) => address),
        vip: made.vip,
        ...(apiHost && { apiHost }),
        ...(storage && { storage }),
    };
    const placeholder = (network: string): Addresses => {
        const names = Object.keys(made.servers).sort();
        return {
            nodes: mapValues(made.servers, ({ address }, name) =>
                orPlaceholder(address, `${network}.${names.indexOf(name) + 1}`),
            ),
            vip: made.vip && {
                address: orPlaceholder(made.vip.address, `${network}.254`),
                prefixLength: orPlaceholder(made.vip.prefixLength, 24),
            },
            ...(apiHost && { apiHost: orPlaceholder(apiHost, `${network}.253`) }),
            ...(storage && { storage: orPlaceholder(storage, `${network}.252`) }),
        };
    };
    const [one, other] = documentationNetworks;
    return { addresses: real, placeholders: [placeholder(one), placeholder(other)] };
}

/** Without a virtual address (user's templates) a single control-plane node is reached at its SSH address, unless a jump host is in between. */
function apiHostOf(
    { controlPlane, infrastructure: { heat } }: KubernetesClusterArgs,
    plan: ServerPlan,
    { vip, servers }: Servers,
): pulumi.Output<string> | undefined {
    if (vip) return vip.floatingIp;
    const masters = plan.servers.filter(({ role }) => role === "controlPlane");
    const direct = masters.length === 1 && !controlPlane?.endpoint?.external && !heat?.ssh?.jump;
    return direct ? servers[masters[0]!.name]?.floatingIp : undefined;
}

function mapValues<V, W>(map: Record<string, V>, change: (value: V, key: string) => W): Record<string, W> {
    return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}

import type { networking } from "@pulumi/openstack";
import * as pulumi from "@pulumi/pulumi";
import type { PortPlan } from "../plan/server-plan";
import type { SharedNetwork } from "../servers";
import { floatingPool, subnetOf } from "./networks";
import type { ResourceContext } from "./resource-context";

/** Settings of ports besides their plan. */
export interface PortParts {
    network: SharedNetwork;
    /** Ids of the security groups, for ports with port security. */
    securityGroups: pulumi.Input<string>[] | pulumi.Output<string[]>;
    /** Required address. */
    address?: string;
    /** The API's virtual address, which some ports may carry. */
    vip?: pulumi.Input<string>;
    /** Ports with a required address are created first: Neutron could give it to another port by chance. */
    after?: pulumi.Resource[];
}

/** Key of the port that has the API's virtual address. */
export const apiPort = "api";

/** Key of the storage server and its port. */
export const storageKey = "storage";

/** Ports that are not simply free to be made. */
const kinds: Record<string, "api-port" | "storage-port"> = { [apiPort]: "api-port", [storageKey]: "storage-port" };

/** Clients of storage know its address. It stays where it is, wherever the first control-plane node of a user's template is later. */
const storagePlace = ["networkId", "fixedIps"];

export function port(context: ResourceContext, key: string, plan: PortPlan, parts: PortParts): networking.Port {
    const { openstack, name, options, tags, before } = context;
    const borne = [...(plan.bearsVip && parts.vip !== undefined ? [parts.vip] : []), ...plan.allowedCidrs];
    const own = plan.securityGroups.map(group => context.given("securityGroup", group));
    return new openstack.networking.Port(
        name(key),
        {
            name: plan.name,
            description: context.description(key),
            ...place(context, plan, parts),
            ...(plan.vnicType !== undefined && { binding: { vnicType: plan.vnicType } }),
            ...(plan.portSecurity
                ? { ...groupsOf(parts, own), allowedAddressPairs: borne.map(ipAddress => ({ ipAddress })) }
                : { portSecurityEnabled: false, noSecurityGroups: true }),
            tags,
        },
        options({
            dependsOn: parts.after ?? [],
            // The description proves who made the port; an existing one needs no other.
            ignoreChanges: ["description", ...(key === storageKey ? storagePlace : [])],
            ...before(kinds[key] ?? "port"),
        }),
    );
}

/** Without any group, the ports that this one joins have no port security: it could not be reached with it. */
function groupsOf({ securityGroups: shared }: PortParts, own: pulumi.Input<string>[]) {
    if (Array.isArray(shared)) return { securityGroupIds: [...shared, ...own] };
    const all = pulumi.all([shared, pulumi.all(own)]).apply(([ids, more]) => [...ids, ...more]);
    const off = all.apply(ids => (ids.length === 0 ? true : undefined));
    return {
        securityGroupIds: all,
        // Setting it to true needs a right of its own.
        portSecurityEnabled: off.apply(is => (is ? false : undefined)) as pulumi.Output<boolean>,
        noSecurityGroups: off as pulumi.Output<boolean>,
    };
}

function place(context: ResourceContext, { network, address: own }: PortPlan, parts: PortParts) {
    if (network === undefined) {
        const { networkId, subnetId } = parts.network;
        const address = parts.address ?? own;
        return { networkId, fixedIps: [{ subnetId, ...(address !== undefined && { ipAddress: address }) }] };
    }
    const networkId = context.given("network", network.network);
    if (network.subnet === undefined) return { networkId };
    return { networkId, fixedIps: [{ subnetId: subnetOf(context, network.network, network.subnet).id }] };
}

/** Known as soon as the port exists, before its server boots. */
export function addressOf(made: networking.Port): pulumi.Output<string> {
    return made.allFixedIps.apply(addresses => addresses[0]!);
}

/** It is bound to the port from the beginning, so the server's first connection may use it. */
export function floatingIp(
    context: ResourceContext,
    key: string,
    made: networking.Port,
    { route, externalNetworkId }: SharedNetwork,
) {
    const { openstack, name, options, tags, before } = context;
    return new openstack.networking.FloatingIp(
        name(key),
        {
            pool: floatingPool(context, externalNetworkId),
            portId: made.id,
            description: context.description(key),
            tags,
        },
        options({
            dependsOn: route,
            // A refresh writes the pool's present name into the state: a renamed pool would replace the nodes' addresses.
            ignoreChanges: ["pool", "description"],
            ...before("floating-ip"),
        }),
    ).address;
}

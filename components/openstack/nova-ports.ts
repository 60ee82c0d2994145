import type { networking } from "@pulumi/openstack";
import type * as pulumi from "@pulumi/pulumi";
import { isId } from "../../provider/openstack/is-id";
import type { NovaContext } from "./nova-context";
import { floatingPool, type NodesNetwork, networkIdOf, subnetOf } from "./nova-network";
import type { PortPlan } from "./server-plan";

/** What ports are made of beside their plan. */
export interface PortParts {
    network: NodesNetwork;
    /** Ids: on ports with port security. */
    securityGroups: pulumi.Input<string>[];
    /** Wanted address. */
    address?: string;
    /** The API's virtual address, which some ports may bear. */
    vip?: pulumi.Input<string>;
    /** Ports with a wanted address: others would take it by chance. */
    after?: pulumi.Resource[];
}

export function port(context: NovaContext, key: string, plan: PortPlan, parts: PortParts): networking.Port {
    const { openstack, name, options, tags } = context;
    const borne = [...(plan.bearsVip && parts.vip !== undefined ? [parts.vip] : []), ...plan.allowedCidrs];
    const groups = [...parts.securityGroups, ...plan.securityGroups.map(group => securityGroupId(context, group))];
    return new openstack.networking.Port(
        name(key),
        {
            name: plan.name,
            ...place(context, plan, parts),
            ...(plan.vnicType !== undefined && { binding: { vnicType: plan.vnicType } }),
            ...(plan.portSecurity
                ? {
                      securityGroupIds: groups,
                      allowedAddressPairs: borne.map(ipAddress => ({ ipAddress })),
                  }
                : { portSecurityEnabled: false, noSecurityGroups: true }),
            tags,
        },
        options({ dependsOn: parts.after ?? [] }),
    );
}

function place(context: NovaContext, { network }: PortPlan, parts: PortParts) {
    if (network === undefined) {
        const { networkId, subnetId } = parts.network;
        return {
            networkId,
            fixedIps: [{ subnetId, ...(parts.address !== undefined && { ipAddress: parts.address }) }],
        };
    }
    const networkId = networkIdOf(context, network.network);
    if (network.subnet === undefined) return { networkId };
    const subnetId = isId(network.subnet) ? network.subnet : subnetOf(context, networkId, network.subnet).id;
    return { networkId, fixedIps: [{ subnetId }] };
}

function securityGroupId({ ask, openstack }: NovaContext, group: string): pulumi.Input<string> {
    return isId(group) ? group : ask(options => openstack.networking.getSecGroup({ name: group }, options)).id;
}

/** Known as soon as the port is: before its server boots. */
export function addressOf(made: networking.Port): pulumi.Output<string> {
    return made.allFixedIps.apply(addresses => addresses[0]!);
}

/** It leads to the port from the beginning, so the server's first connection may use it. */
export function floatingIp(context: NovaContext, key: string, made: networking.Port, { route }: NodesNetwork) {
    const { openstack, name, options, tags, plan } = context;
    const description = `${plan.clusterName}: ${key}`;
    return new openstack.networking.FloatingIp(
        name(key),
        { pool: floatingPool(context), portId: made.id, description, tags },
        options({ dependsOn: route }),
    ).address;
}

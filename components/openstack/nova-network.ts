import * as pulumi from "@pulumi/pulumi";
import { prefixOf } from "../../provider/cidr";
import { isId } from "../../provider/openstack/is-id";
import type { NovaContext } from "./nova-context";
import { ethertypeOf } from "./security-rules";
import type { GivenNetwork, MadeNetwork, SecurityGroupRule } from "./server-plan";

/** The network that the nodes share, made or found. */
export interface NodesNetwork {
    networkId: pulumi.Input<string>;
    subnetId: pulumi.Input<string>;
    /** Of the subnet. */
    prefixLength: pulumi.Output<number>;
    /** What servers and floating IPs wait for: the way out. */
    route: pulumi.Resource[];
}

export function nodesNetwork(context: NovaContext): NodesNetwork {
    const wish = context.plan.network;
    return wish.made ? madeNetwork(context, wish) : givenNetwork(context, wish);
}

function madeNetwork(context: NovaContext, wish: MadeNetwork): NodesNetwork {
    const { openstack, name, options, tags, protect } = context;
    const { Network, Subnet, Router, RouterInterface } = openstack.networking;
    const network = new Network(name(), { name: wish.name, mtu: wish.mtu, tags }, options({ protect }));
    const subnet = new Subnet(
        name(),
        {
            name: wish.subnetName,
            networkId: network.id,
            cidr: wish.cidr,
            ipVersion: 4,
            dnsNameservers: wish.dnsServers,
            tags,
        },
        options(),
    );
    const router = () =>
        new Router(name(), { name: routerName, externalNetworkId: externalId(context), tags }, options());
    const routerName = "name" in wish.router ? wish.router.name : "";
    const routerId = "existing" in wish.router ? existingRouter(context, wish.router.existing) : router().id;
    const attached = new RouterInterface(name(), { routerId, subnetId: subnet.id }, options());
    return {
        networkId: network.id,
        subnetId: subnet.id,
        prefixLength: pulumi.output(prefixOf(wish.cidr)),
        route: [attached],
    };
}

function givenNetwork(context: NovaContext, { network, subnet }: GivenNetwork): NodesNetwork {
    const networkId = networkIdOf(context, network);
    const found = subnetOf(context, networkId, subnet);
    return {
        networkId,
        subnetId: found.id,
        prefixLength: found.apply(({ cidr }) => prefixOf(cidr)),
        route: [],
    };
}

export function networkIdOf({ ask, openstack }: NovaContext, network: string): pulumi.Input<string> {
    if (isId(network)) return network;
    return ask(options => openstack.networking.getNetwork({ name: network }, options)).id;
}

/** Of a network; which one need not be said where it has only one. */
export function subnetOf({ ask, openstack }: NovaContext, networkId: pulumi.Input<string>, subnet?: string) {
    const which = subnet === undefined ? {} : isId(subnet) ? { subnetId: subnet } : { name: subnet };
    return pulumi
        .output(networkId)
        .apply(id => ask(options => openstack.networking.getSubnet({ networkId: id, ...which }, options)));
}

/** The external network's id, for routers. */
function externalId(context: NovaContext): pulumi.Input<string> | undefined {
    const { externalNetwork } = context.plan;
    return externalNetwork === undefined ? undefined : networkIdOf(context, externalNetwork);
}

/** The external network's name, for floating IPs: they know no ids. */
export function floatingPool({ plan, ask, openstack }: NovaContext): pulumi.Input<string> {
    const external = plan.externalNetwork ?? "";
    if (!isId(external)) return external;
    return ask(options => openstack.networking.getNetwork({ networkId: external }, options)).apply(({ name }) => name!);
}

function existingRouter({ ask, openstack }: NovaContext, router: string): pulumi.Input<string> {
    if (isId(router)) return router;
    return ask(options => openstack.networking.getRouter({ name: router }, options)).id;
}

/** Rules are resources of their own: a change of one leaves the others in force. */
export function securityGroup(
    { openstack, name, options, tags, plan }: NovaContext,
    key: string | undefined,
    wish: { name: string; rules: SecurityGroupRule[] },
): pulumi.Output<string> {
    const { SecGroup, SecGroupRule } = openstack.networking;
    const description = `Servers of the Kubernetes cluster ${plan.clusterName}`;
    const group = new SecGroup(name(key), { name: wish.name, description, tags }, options());
    for (const { key: rule, protocol, ports, from } of wish.rules) {
        const given = {
            direction: "ingress",
            ethertype: ethertypeOf(from),
            protocol,
            portRangeMin: ports?.from,
            portRangeMax: ports?.to,
            securityGroupId: group.id,
            ...("cidr" in from ? { remoteIpPrefix: from.cidr } : { remoteGroupId: group.id }),
        };
        // Neutron has no two alike, so the old one has to go first.
        const ruleName = name(key === undefined ? rule : `${key}-${rule}`);
        new SecGroupRule(ruleName, given, options({ deleteBeforeReplace: true }));
    }
    return group.id;
}

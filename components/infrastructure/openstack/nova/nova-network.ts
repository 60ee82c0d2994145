import * as pulumi from "@pulumi/pulumi";
import { prefixOf } from "../../../../provider/common/cidr";
import { ethertypeOf } from "../plan/security-rules";
import type { GivenNetwork, MadeNetwork, SecurityGroupRule } from "../plan/server-plan";
import { subnetOf } from "../resources/networks";
import type { ResourceContext } from "../resources/resource-context";
import type { SharedNetwork } from "../servers";

/** The network that the nodes share, created or existing. */
export interface NodesNetwork extends SharedNetwork {
    /** Of the subnet. */
    prefixLength: pulumi.Output<number>;
}

export function nodesNetwork(context: ResourceContext): NodesNetwork {
    const wish = context.plan.network;
    return wish.made ? madeNetwork(context, wish) : givenNetwork(context, wish);
}

function madeNetwork(context: ResourceContext, wish: MadeNetwork): NodesNetwork {
    const { openstack, name, options, tags, protect, before } = context;
    const { Network, Subnet, Router, RouterInterface } = openstack.networking;
    const network = new Network(
        name(),
        { name: wish.name, mtu: wish.mtu, tags },
        options({ protect, ...before("network") }),
    );
    const subnet = new Subnet(
        name(),
        {
            name: wish.subnetName,
            description: context.description("subnet"),
            networkId: network.id,
            cidr: wish.cidr,
            ipVersion: 4,
            dnsNameservers: wish.dnsServers,
            tags,
        },
        // The description proves who made a part; an existing part needs no other.
        options({ ignoreChanges: ["description"], ...before("subnet") }),
    );
    const router = () =>
        new Router(
            name(),
            {
                name: routerName,
                description: context.description("router"),
                externalNetworkId: externalId(context),
                tags,
            },
            options({ ignoreChanges: ["description"], ...before("router") }),
        );
    const routerName = "name" in wish.router ? wish.router.name : "";
    const routerId = "existing" in wish.router ? context.given("router", wish.router.existing) : router().id;
    const attached = new RouterInterface(
        name(),
        { routerId, subnetId: subnet.id },
        options(before("router-interface")),
    );
    return {
        networkId: network.id,
        subnetId: subnet.id,
        prefixLength: pulumi.output(prefixOf(wish.cidr)),
        route: [attached],
    };
}

function givenNetwork(context: ResourceContext, { network, subnet }: GivenNetwork): NodesNetwork {
    const networkId = context.given("network", network);
    const found = subnetOf(context, network, subnet);
    return {
        networkId,
        subnetId: found.id,
        prefixLength: found.apply(({ cidr }) => prefixOf(cidr)),
        route: [],
    };
}

/** The external network's id, for routers. */
function externalId(context: ResourceContext): pulumi.Input<string> | undefined {
    const { externalNetwork } = context.plan;
    return externalNetwork === undefined ? undefined : context.given("network", externalNetwork);
}

/** Rules are separate resources: a change of one leaves the others in force. */
export function securityGroup(
    context: ResourceContext,
    key: string | undefined,
    wish: { name: string; rules: SecurityGroupRule[] },
): { id: pulumi.Output<string>; rules: pulumi.Resource[] } {
    const { openstack, name, options, tags, plan, before } = context;
    const { SecGroup, SecGroupRule } = openstack.networking;
    const members = plan.servers.length > 0 ? "Servers of the Kubernetes cluster" : "The storage server";
    const description = `${members} ${plan.clusterName}`;
    const group = new SecGroup(name(key), { name: wish.name, description, tags }, options(before("security-group")));
    const rules = wish.rules.map(({ key: rule, protocol, ports, from }) => {
        const ruleKey = key === undefined ? rule : `${key}-${rule}`;
        const given = {
            description: context.description(ruleKey),
            direction: "ingress",
            ethertype: ethertypeOf(from),
            protocol,
            portRangeMin: ports?.from,
            portRangeMax: ports?.to,
            securityGroupId: group.id,
            ...("cidr" in from ? { remoteIpPrefix: from.cidr } : { remoteGroupId: group.id }),
        };
        // Neutron refuses two equal rules, so the old one must be deleted first. The description only proves who made it.
        const how = { deleteBeforeReplace: true, ignoreChanges: ["description"], ...before("rule") };
        return new SecGroupRule(name(ruleKey), given, options(how));
    });
    return { id: group.id, rules };
}

import { ownerTags } from "../../../../provider/openstack/requirements";
import { ethertypeOf } from "../plan/security-rules";
import { type PortPlan, plainPort, type SecurityGroupRule, type ServerPlan } from "../plan/server-plan";
import { addressOf, getAttribute, getResource, given, type HeatPart, joined, resource } from "./heat-parts";

export const vipOutputs = { address: "vip_address", cidr: "vip_cidr", floatingAddress: "vip_floating_address" };

/** What all servers share: the network, security groups, the API's virtual address. */
export function sharedParts(plan: ServerPlan): HeatPart[] {
    return [network(plan), securityGroup("security_group", plan, plan.securityGroup), vip(plan)];
}

function network(plan: ServerPlan): HeatPart {
    const wish = plan.network;
    if (!wish.made) return { resources: {} };
    const tags = ownerTags(plan.metadata);
    const { router } = wish;
    const existing = "existing" in router ? router.existing : undefined;
    return {
        resources: {
            network: resource("OS::Neutron::Net", {
                name: wish.name,
                tags,
                value_specs: wish.mtu === undefined ? undefined : { mtu: wish.mtu },
            }),
            subnet: resource("OS::Neutron::Subnet", {
                name: wish.subnetName,
                network: getResource("network"),
                cidr: wish.cidr,
                dns_nameservers: wish.dnsServers,
                tags,
            }),
            ...("name" in router && {
                router: resource("OS::Neutron::Router", {
                    name: router.name,
                    external_gateway_info:
                        plan.externalNetwork === undefined
                            ? undefined
                            : { network: given("network", plan.externalNetwork) },
                    tags,
                }),
            }),
            router_interface: resource("OS::Neutron::RouterInterface", {
                router: existing === undefined ? getResource("router") : given("router", existing),
                subnet: getResource("subnet"),
            }),
        },
    };
}

/** Rules are separate resources: a change of one leaves the others in force. */
export function securityGroup(
    key: string,
    plan: ServerPlan,
    { name, rules }: { name: string; rules: SecurityGroupRule[] },
): HeatPart {
    const rule = ({ protocol, ports, from }: SecurityGroupRule) =>
        resource("OS::Neutron::SecurityGroupRule", {
            security_group: getResource(key),
            direction: "ingress",
            ethertype: ethertypeOf(from),
            protocol,
            port_range_min: ports?.from,
            port_range_max: ports?.to,
            ...("cidr" in from ? { remote_ip_prefix: from.cidr } : { remote_group: getResource(key) }),
        });
    return {
        resources: {
            [key]: resource("OS::Neutron::SecurityGroup", { name, description: ownerTags(plan.metadata).join(" ") }),
            ...Object.fromEntries(rules.map(each => [`${key}_rule_${each.key}`, rule(each)])),
        },
    };
}

/** A port without a server; the control-plane nodes' ports may carry its address. */
function vip(plan: ServerPlan): HeatPart {
    if (!plan.vip) return { resources: {} };
    const { portName, address, floatingIp } = plan.vip;
    const port: HeatPart = {
        resources: { vip_port: portResource(plan, plainPort(portName), ["security_group"], address) },
        outputs: {
            [vipOutputs.address]: { value: addressOf("vip_port") },
            [vipOutputs.cidr]: { value: getAttribute("vip_port", "subnets", 0, "cidr") },
        },
    };
    return floatingIp ? joined([port, floatingAddress(plan, "vip", "vip_port", vipOutputs.floatingAddress)]) : port;
}

/** A port in the cluster's network or in another one, with the cluster's security groups. */
export function portResource(plan: ServerPlan, port: PortPlan, groups: string[], address?: string) {
    const { network: clusters } = plan;
    const other = port.network ?? (clusters.made ? undefined : clusters);
    const subnet = other ? other.subnet && given("subnet", other.subnet) : getResource("subnet");
    const fixed = { ...(subnet !== undefined && { subnet }), ...(address !== undefined && { ip_address: address }) };
    const pairs = [
        ...(port.bearsVip && plan.vip ? [{ ip_address: addressOf("vip_port") }] : []),
        ...port.allowedCidrs.map(cidr => ({ ip_address: cidr })),
    ];
    return resource("OS::Neutron::Port", {
        name: port.name,
        network: other ? given("network", other.network) : getResource("network"),
        fixed_ips: Object.keys(fixed).length > 0 ? [fixed] : undefined,
        "binding:vnic_type": port.vnicType,
        ...(port.portSecurity
            ? {
                  security_groups: [
                      ...groups.map(getResource),
                      ...port.securityGroups.map(group => given("securityGroup", group)),
                  ],
                  allowed_address_pairs: pairs.length > 0 ? pairs : undefined,
              }
            : { port_security_enabled: false, security_groups: [] }),
        tags: ownerTags(plan.metadata),
    });
}

/** `<key>_floating_ip`, bound to a port. */
export function floatingAddress(plan: ServerPlan, key: string, port: string, output: string): HeatPart {
    const floating = `${key}_floating_ip`;
    const association = resource(
        "OS::Neutron::FloatingIPAssociation",
        { floatingip_id: getResource(floating), port_id: getResource(port) },
        routeOf(plan),
    );
    return {
        resources: {
            [floating]: resource("OS::Neutron::FloatingIP", {
                floating_network: plan.externalNetwork && given("network", plan.externalNetwork),
            }),
            [`${floating}_association`]: association,
        },
        outputs: { [output]: { value: getAttribute(floating, "floating_ip_address") } },
    };
}

/** What must exist before a server reaches anything, and before a floating address reaches a server. */
export function routeOf({ network: { made } }: ServerPlan): string[] {
    return made ? ["router_interface"] : [];
}

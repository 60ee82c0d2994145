import type { Quota } from "./cinder";
import { type CloudClient, CloudRefused } from "./client";

export interface Network {
    id: string;
    name: string;
    project_id?: string;
    "router:external"?: boolean;
    shared?: boolean;
    subnets: string[];
    admin_state_up: boolean;
    tags?: string[];
}

export interface Subnet {
    id: string;
    name: string;
    network_id: string;
    project_id?: string;
    cidr: string;
    ip_version: number;
    allocation_pools: { start: string; end: string }[];
    gateway_ip: string | null;
    enable_dhcp: boolean;
    description?: string;
    tags?: string[];
}

export interface Router {
    id: string;
    name: string;
    external_gateway_info: { network_id: string } | null;
    description?: string;
    tags?: string[];
}

export interface Port {
    id: string;
    name: string;
    network_id: string;
    device_id: string;
    device_owner: string;
    fixed_ips: { subnet_id: string; ip_address: string }[];
    tags?: string[];
    project_id?: string;
    description?: string;
    /** Ids. */
    security_groups?: string[];
}

export interface FloatingIp {
    id: string;
    floating_ip_address: string;
    floating_network_id: string;
    port_id: string | null;
    description?: string;
    tags?: string[];
}

export interface SecurityGroup {
    id: string;
    name: string;
    description?: string;
    tags?: string[];
    security_group_rules?: { id: string; ethertype?: string; direction?: string }[];
}

/** null: any. */
export interface SecurityGroupRule {
    id: string;
    security_group_id: string;
    direction: string;
    ethertype: string;
    protocol: string | null;
    port_range_min: number | null;
    port_range_max: number | null;
    remote_ip_prefix: string | null;
    remote_group_id: string | null;
    description?: string;
}

const fields = {
    networks: ["id", "name", "project_id", "router:external", "shared", "subnets", "admin_state_up", "tags"],
    subnets: [
        "id",
        "name",
        "network_id",
        "project_id",
        "cidr",
        "ip_version",
        "allocation_pools",
        "gateway_ip",
        "enable_dhcp",
        "description",
        "tags",
    ],
    routers: ["id", "name", "external_gateway_info", "description", "tags"],
    ports: [
        ...["id", "name", "network_id", "device_id", "device_owner", "fixed_ips", "tags", "project_id", "description"],
        "security_groups",
    ],
    floatingips: ["id", "floating_ip_address", "floating_network_id", "port_id", "description", "tags"],
    "security-groups": ["id", "name", "description", "tags", "security_group_rules"],
};

/** All networks that this project sees: its own, shared and external ones. */
export function listNetworks(cloud: CloudClient): Promise<Network[]> {
    return cloud.list("network", "/networks", "networks", { fields: fields.networks });
}

export function listSubnets(cloud: CloudClient): Promise<Subnet[]> {
    return cloud.list("network", "/subnets", "subnets", { fields: fields.subnets });
}

export function subnetsIn(cloud: CloudClient, network: string): Promise<Subnet[]> {
    return cloud.list("network", "/subnets", "subnets", { network_id: network, fields: fields.subnets });
}

export async function getSubnet(cloud: CloudClient, id: string): Promise<Subnet | undefined> {
    return cloud.one("network", `/subnets/${encodeURIComponent(id)}`, "subnet");
}

export function listRouters(cloud: CloudClient): Promise<Router[]> {
    return cloud.list("network", "/routers", "routers", { fields: fields.routers });
}

export function routersNamed(cloud: CloudClient, name: string): Promise<Router[]> {
    return cloud.list("network", "/routers", "routers", { name, fields: fields.routers });
}

export async function getRouter(cloud: CloudClient, id: string): Promise<Router | undefined> {
    return cloud.one("network", `/routers/${encodeURIComponent(id)}`, "router");
}

/** Ports of this project, and all ports in its own networks. */
export function listPorts(cloud: CloudClient): Promise<Port[]> {
    return cloud.list("network", "/ports", "ports", { fields: fields.ports });
}

export async function listFloatingIps(cloud: CloudClient): Promise<FloatingIp[]> {
    const project_id = await cloud.projectId();
    return cloud.list("network", "/floatingips", "floatingips", { project_id, fields: fields.floatingips });
}

/** Floating IPs that lead to this port: this project's, or all if the user is an administrator. */
export function floatingIpsOn(cloud: CloudClient, port: string): Promise<FloatingIp[]> {
    return cloud.list("network", "/floatingips", "floatingips", { port_id: port, fields: fields.floatingips });
}

export async function getFloatingIp(cloud: CloudClient, id: string): Promise<FloatingIp | undefined> {
    return cloud.one("network", `/floatingips/${encodeURIComponent(id)}`, "floatingip");
}

/** Ports of this network with this address, as far as this project sees them. */
export function portsAt(cloud: CloudClient, network: string, address: string): Promise<Port[]> {
    const query = { network_id: network, fixed_ips: `ip_address=${address}`, fields: fields.ports };
    return cloud.list("network", "/ports", "ports", query);
}

/** Ports of this network with this name, as far as this project sees them. */
export function portsNamed(cloud: CloudClient, network: string, name: string): Promise<Port[]> {
    return cloud.list("network", "/ports", "ports", { network_id: network, name, fields: fields.ports });
}

/** All ports of this network, as far as this project sees them. */
export function portsIn(cloud: CloudClient, network: string): Promise<Port[]> {
    return cloud.list("network", "/ports", "ports", { network_id: network, fields: fields.ports });
}

/** Ports of a router or server, as far as this project sees them. */
export function portsOf(cloud: CloudClient, device: string): Promise<Port[]> {
    return cloud.list("network", "/ports", "ports", { device_id: device, fields: fields.ports });
}

/** Ports with an address of this subnet, as far as this project sees them. */
export function portsOn(cloud: CloudClient, subnet: string): Promise<Port[]> {
    return cloud.list("network", "/ports", "ports", { fixed_ips: `subnet_id=${subnet}`, fields: fields.ports });
}

/** Nothing uses the port. */
export function isUnused({ device_id, device_owner }: Port): boolean {
    return device_id === "" && device_owner === "";
}

export async function getPort(cloud: CloudClient, id: string): Promise<Port | undefined> {
    return cloud.one("network", `/ports/${encodeURIComponent(id)}`, "port");
}

export async function listSecurityGroups(cloud: CloudClient): Promise<SecurityGroup[]> {
    const project_id = await cloud.projectId();
    const query = { project_id, fields: fields["security-groups"] };
    return cloud.list("network", "/security-groups", "security_groups", query);
}

export function rulesOf(cloud: CloudClient, group: string): Promise<SecurityGroupRule[]> {
    return cloud.list("network", "/security-group-rules", "security_group_rules", { security_group_id: group });
}

export async function getRule(cloud: CloudClient, id: string): Promise<SecurityGroupRule | undefined> {
    return cloud.one("network", `/security-group-rules/${encodeURIComponent(id)}`, "security_group_rule");
}

/**
 * By Neutron's names: port, floatingip, network, subnet, router, security_group, security_group_rule. Undefined:
 * Neutron does not say.
 */
export async function networkQuota(cloud: CloudClient): Promise<Record<string, Quota> | undefined> {
    const project = await cloud.projectId();
    type Details = Record<string, { limit: number; used: number; reserved?: number }>;
    const answer = await cloud.getIfOffered<{ quota: Details }>("network", `/quotas/${project}/details.json`);
    if (answer === undefined) return undefined;
    const entries = Object.entries(answer.quota).map(([name, { limit, used, reserved }]) => [
        name,
        { limit: Number(limit), used: Number(used) + Number(reserved ?? 0) },
    ]);
    return Object.fromEntries(entries);
}

/** Number of addresses of a network, total and used; by default clouds show it to administrators only. */
export async function networkAvailability(cloud: CloudClient, id: string): Promise<Quota | undefined> {
    try {
        type Answer = { network_ip_availability: { total_ips: number; used_ips: number } };
        const answer = await cloud.getIfOffered<Answer>("network", `/network-ip-availabilities/${id}`);
        const found = answer?.network_ip_availability;
        return found === undefined ? undefined : { limit: found.total_ips, used: found.used_ips };
    } catch (error) {
        if (error instanceof CloudRefused && error.status === 403) return undefined;
        throw error;
    }
}

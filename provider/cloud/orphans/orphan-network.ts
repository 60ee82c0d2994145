import type { NfvError } from "../../common/errors";
import { noteIt, type Place } from "../../contract/place-in-program";
import type { Context } from "../../contract/types";
import type { CloudClient } from "../../openstack";
import {
    getPort,
    getRouter,
    getSubnet,
    isUnused,
    listPorts,
    listSecurityGroups,
    type Port,
    portsOf,
    portsOn,
    type Router,
    routersNamed,
    type Subnet,
    subnetsIn,
} from "../../openstack/neutron";
import { howToRestoreState } from "../../operation/restore-state";
import { cloudOf, serverOnOurNetwork } from "./orphan-servers";
import { clear, type PartsOwner, unknownToState, wasMadeAs } from "./orphans";

/** A subnet that will be created, in a network that the state has. */
export interface WantedSubnet {
    networkId: string;
    cidr: string;
    description?: string;
}

/** A router that will be created. */
export interface WantedRouter {
    name: string;
    description?: string;
}

/** A security group that will be created. */
export interface WantedGroup {
    name: string;
    tags?: string[];
}

/** An interface of a router that will be created, in a subnet that this program created. */
export interface WantedInterface {
    routerId: string;
    subnetId: string;
}

/** Owners of ports that Neutron itself creates in a subnet, and deletes with it. */
const neutronsOwn = new Set(["network:dhcp", "network:distributed"]);

/** Subnets of one network must not overlap. @throws NOT_OURS */
export function clearTheRange({ networkId, cidr, description }: WantedSubnet, owner: PartsOwner, context: Context) {
    return clear<Subnet>(
        {
            find: async cloud => (await subnetsIn(cloud, networkId)).filter(subnet => subnet.cidr === cidr),
            again: ({ id }, cloud) => getSubnet(cloud, id),
            isOrphan: async (subnet, cloud) =>
                wasMadeAs(description, subnet, owner) &&
                (await portsOn(cloud, subnet.id)).every(port => neutronsOwn.has(port.device_owner)),
            name: ({ id, name }) => `the subnet "${name}" (${id})`,
            how: () => `has the range ${cidr} of the network ${networkId} already`,
            remove: ({ id }, cloud) => cloud.change("network", "DELETE", `/subnets/${encodeURIComponent(id)}`),
            hint: ({ id }) =>
                `Look who uses it: openstack port list --fixed-ip subnet=${id}. Is it this cluster's, restore the state that knows it. ` +
                `If nobody needs it: openstack subnet delete ${id}, then run pulumi up again.`,
        },
        owner,
        context,
    );
}

/** Owners of ports that Neutron itself creates for a router, and deletes with it. */
const routersOwn = new Set(["network:router_gateway", "network:router_ha_interface"]);

/**
 * A second router of the name would be possible, but nothing else would ever delete the first. Other routers with that
 * name stay. Ours with an interface carries the cluster's traffic and has the subnet's gateway address: a second one could not have it.
 * @throws NOT_OURS
 */
export function clearTheRouter({ name, description }: WantedRouter, owner: PartsOwner, context: Context, place: Place) {
    const isIdle = async ({ id }: Router, cloud: CloudClient) =>
        (await portsOf(cloud, id)).every(port => routersOwn.has(port.device_owner));
    return clear<Router>(
        {
            find: async cloud => {
                const found = await routersNamed(cloud, name);
                for (const router of found.filter(each => wasMadeAs(description, each, owner))) {
                    if (!(await isIdle(router, cloud))) throw routerInUse(router, place);
                }
                return found;
            },
            othersStay: true,
            again: ({ id }, cloud) => getRouter(cloud, id),
            isOrphan: async (router, cloud) => wasMadeAs(description, router, owner) && (await isIdle(router, cloud)),
            name: ({ id }) => `the router "${name}" (${id})`,
            how: () => "exists already",
            remove: ({ id }, cloud) => cloud.change("network", "DELETE", `/routers/${encodeURIComponent(id)}`),
            hint: ({ id }) =>
                `If nobody needs that router (openstack router show ${id}): openstack router delete ${id}, then run pulumi up again.`,
        },
        owner,
        context,
    );
}

function routerInUse({ id, name }: Router, place: Place): NfvError {
    const what = `the router "${name}" (${id}) of this cluster exists and is in use`;
    return unknownToState(what, noteIt("openstack:networking/router:Router", id, place));
}

/**
 * Runs before a security group is created. Rules would leave the group that the servers are in, and only later the servers join the new one: until then
 * the nodes do not reach each other. @throws NOT_OURS
 */
export async function refuseSecondGroup(
    { name, tags = [] }: WantedGroup,
    owner: PartsOwner,
    context: Context,
    { servers, place }: { servers: readonly string[]; place: Place },
): Promise<void> {
    const cloud = await cloudOf(owner, context);
    const groups = (await listSecurityGroups(cloud)).filter(
        group => group.name === name && tags.length > 0 && tags.every(tag => group.tags?.includes(tag)),
    );
    if (groups.length === 0 || (await serverOnOurNetwork(cloud, owner.mark, servers)) === undefined) return;
    // A killed run leaves one that no port has; a second one of its name is made beside it.
    const ports = await listPorts(cloud);
    const found = groups.find(({ id }) => ports.some(port => port.security_groups?.includes(id)));
    if (found === undefined) return;
    const what = `the security group "${name}" (${found.id}) of this cluster exists`;
    throw unknownToState(what, noteIt("openstack:networking/secGroup:SecGroup", found.id, place));
}

/**
 * A router has one interface in a subnet. Router and subnet are identified by their ids. Servers are created only after
 * the interface is in the state: if machines use the subnet, no killed run left the interface.
 * @throws NOT_OURS
 */
export function clearTheRoute({ routerId, subnetId }: WantedInterface, owner: PartsOwner, context: Context) {
    const joins = (port: Port) =>
        port.device_id === routerId && isInterface(port) && port.fixed_ips.some(ip => ip.subnet_id === subnetId);
    return clear<Port>(
        {
            find: async cloud => (await portsOn(cloud, subnetId)).filter(joins),
            again: async ({ id }, cloud) => {
                const port = await getPort(cloud, id);
                return port !== undefined && joins(port) ? port : undefined;
            },
            isOrphan: async (port, cloud) =>
                port.fixed_ips.length === 1 &&
                (await portsOn(cloud, subnetId)).every(
                    each => each.device_id === routerId || neutronsOwn.has(each.device_owner) || isUnused(each),
                ),
            name: ({ id }) => `the interface ${id} of the router ${routerId}`,
            how: () => `leads to the subnet ${subnetId} already`,
            remove: ({ id }, cloud) =>
                cloud.change("network", "PUT", `/routers/${encodeURIComponent(routerId)}/remove_router_interface`, {
                    body: { port_id: id },
                }),
            hint: ({ id }) =>
                `Look who uses the subnet: openstack port list --fixed-ip subnet=${subnetId}. Are there servers of this cluster, restore ` +
                `the state that knows the interface (${howToRestoreState}). ` +
                `If nobody needs it: openstack router remove port ${routerId} ${id}, then run pulumi up again.`,
        },
        owner,
        context,
    );
}

/** Whether it is a router's interface, of any kind of router: plain, distributed or highly available. */
function isInterface({ device_owner: user }: Port): boolean {
    return user.startsWith("network:router_interface") || user === "network:ha_router_replicated_interface";
}

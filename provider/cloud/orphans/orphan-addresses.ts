import { NfvError } from "../../common/errors";
import { noteIt, type Place, storageInput } from "../../contract/place-in-program";
import type { Context } from "../../contract/types";
import type { CloudClient } from "../../openstack";
import {
    type FloatingIp,
    floatingIpsOn,
    getFloatingIp,
    getPort,
    isUnused,
    type Port,
    portsAt,
    portsNamed,
} from "../../openstack/neutron";
import { fixedAddressesOf, getServer, type Server } from "../../openstack/nova";
import { cloudOf, isJump, type ServersOwner, serverOnOurNetwork, serversOf, useOf } from "./orphan-servers";
import { clear, type PartsOwner, unknownToState, wasMadeAs } from "./orphans";

/** A floating IP that will be created. */
export interface WantedFloatingIp {
    /** Id of the port behind it. */
    portId: string;
    description?: string;
}

/** A port that will be created. */
export interface WantedPort {
    name?: string;
    networkId: string;
    fixedIps?: { ipAddress?: string }[];
    description?: string;
}

const portToken = "openstack:networking/port:Port";

/**
 * Neutron refuses a second floating IP for a port. One that a living cluster is reached by stays: Neutron may give its address to anybody once it is
 * deleted. `servers`: names of the nodes. @throws NOT_OURS
 */
export function clearThePort(
    { portId, description }: WantedFloatingIp,
    owner: ServersOwner,
    context: Context,
    { servers, place }: { servers: readonly string[]; place: Place },
) {
    const isOurs = (ip: FloatingIp) => wasMadeAs(description, ip, owner);
    return clear<FloatingIp>(
        {
            find: cloud => floatingIpsOn(cloud, portId),
            again: async ({ id }, cloud) => {
                const ip = await getFloatingIp(cloud, id);
                return ip?.port_id === portId ? ip : undefined;
            },
            isOrphan: async (ip, cloud) =>
                isOurs(ip) && (await useOf(await serversBehind(portId, servers, cloud), owner, context)) === "blank",
            name: ip => `the floating IP ${ip.floating_ip_address} (${ip.id})`,
            how: () => `leads to the port ${portId} already`,
            remove: ({ id }, cloud) => cloud.change("network", "DELETE", `/floatingips/${encodeURIComponent(id)}`),
            hint: ip =>
                isOurs(ip)
                    ? `${noteIt("openstack:networking/floatingIp:FloatingIp", ip.id, place)} A cluster may be reached by it. To replace it: openstack floating ip unset --port ${ip.id} first.`
                    : `Free the port: openstack floating ip unset --port ${ip.id} (the address stays reserved). ` +
                      `If nobody needs the address: openstack floating ip delete ${ip.id}. Then run pulumi up again.`,
        },
        owner,
        context,
    );
}

/** The server at this port; behind the API's port, and a jump server's, all nodes. */
async function serversBehind(portId: string, names: readonly string[], cloud: CloudClient): Promise<Server[]> {
    const port = await getPort(cloud, portId);
    const server = port === undefined || port.device_id === "" ? undefined : await getServer(cloud, port.device_id);
    if (server === undefined) return serversOf(cloud, names);
    return isJump(server) ? [server, ...(await serversOf(cloud, names))] : [server];
}

/**
 * Neutron gives an address to one port only. A port without a wanted address blocks no other one, but Neutron cannot
 * delete the subnet while it exists. So such ports that a killed run left are removed, too; other ports with that name
 * stay. `isInUse`: whether something uses a port that has no device.
 * @throws NOT_OURS for a port with the wanted address
 */
export async function clearTheAddress(
    wanted: WantedPort,
    owner: PartsOwner,
    context: Context,
    isInUse = async (_cloud: CloudClient) => false,
    place?: Place,
): Promise<void> {
    const { networkId, name: portName, description } = wanted;
    const address = wanted.fixedIps?.[0]?.ipAddress;
    const isOrphan = async (port: Port, cloud: CloudClient) =>
        isUnused(port) && isOurs(port) && !(await isLedTo(port, cloud)) && !(await isInUse(cloud));
    const isOurs = (port: Port) => wasMadeAs(description, port, owner);
    const namesakes = async (cloud: CloudClient) => {
        const found = portName === undefined ? [] : await portsNamed(cloud, networkId, portName);
        const ours = found.filter(isOurs);
        const held = ours.find(port => port.device_owner.startsWith("compute:"));
        const used = held ?? (ours.length > 0 && (await isInUse(cloud)) ? ours[0] : undefined);
        if (used !== undefined) throw inUse(used, place);
        return found;
    };
    await clear<Port>(
        {
            find: cloud => (address === undefined ? namesakes(cloud) : portsAt(cloud, networkId, address)),
            othersStay: address === undefined,
            again: ({ id }, cloud) => getPort(cloud, id),
            isOrphan,
            name: ({ id, name, device_owner: user }) => `the port "${name}" (${id}${user === "" ? "" : `, ${user}`})`,
            how: () => (address === undefined ? "exists already" : `has the address ${address} already`),
            remove: ({ id }, cloud) => cloud.change("network", "DELETE", `/ports/${encodeURIComponent(id)}`),
            hint: ({ id, ...port }) =>
                `${isOurs({ id, ...port }) ? notePort(id, place) : ""}` +
                `${address === undefined ? "" : "Give another address, or none. "}If nobody needs that port (openstack port show ${id}): ` +
                `openstack port delete ${id}, then run pulumi up again.`,
        },
        owner,
        context,
    );
}

/** A refresh through a proxy that answers 404 takes ports out of the state; with another port the server would be replaced. */
function inUse({ id, name: port, device_id: server }: Port, place?: Place): NfvError {
    const use = server === "" ? "servers with the cluster's names may use it" : `is in use by the server ${server}`;
    return unknownToState(
        `the port "${port}" (${id}) of this cluster exists and ${use}`,
        `${notePort(id, place)}To replace a server, replace its Instance by name: its port, and so its address, stay.`,
    );
}

const notePort = (id: string, place: Place | undefined) =>
    place === undefined ? "" : `${noteIt(portToken, id, place)} `;

/**
 * The port of the API's virtual address, which never has a device. The state has it before the first server is created.
 * So if servers have the cluster's names, control-plane nodes may use the address: with another one in its place port security would drop their packets.
 * @throws NOT_OURS
 */
export async function clearTheApiAddress(
    wanted: WantedPort,
    owner: PartsOwner,
    context: Context,
    { servers, place }: { servers: readonly string[]; place: Place },
): Promise<void> {
    const anyServer = async (cloud: CloudClient) => (await serversOf(cloud, servers)).length > 0;
    await clearTheAddress(wanted, owner, context, anyServer, place);
    if (wanted.fixedIps?.[0]?.ipAddress !== undefined) return;
    const server = await serverOnOurNetwork(await cloudOf(owner, context), owner.mark, servers);
    if (server === undefined) return;
    throw new NfvError({
        code: "NOT_OURS",
        cause: `the server "${server.name}" (${server.id}) exists, so this cluster's API has a virtual address, and the cloud has no port for it any more: another port would have another address; nothing was changed`,
        hint:
            "Make the port again with the address that the cluster's kubeconfig has: openstack port create --network " +
            `${wanted.networkId} --fixed-ip ip-address=ADDRESS ${wanted.name ?? ""}. ${noteIt(portToken, "ID", place)}`,
    });
}

/**
 * The port of the storage server. While that server exists, the port is in the cloud or was deleted there by somebody, and another address would leave
 * all mounts hanging.
 * @throws NOT_OURS
 */
export async function keepTheStorageAddress(
    wanted: WantedPort,
    owner: PartsOwner,
    context: Context,
    place: Place,
): Promise<void> {
    const { name = "", networkId, description } = wanted;
    const cloud = await cloudOf(owner, context);
    const server = await serverOnOurNetwork(cloud, owner.mark, [name]);
    if (server === undefined) return clearTheAddress(wanted, owner, context, undefined, place);
    const ours = (await portsNamed(cloud, networkId, name)).find(port => wasMadeAs(description, port, owner));
    if (ours !== undefined) throw inUse(ours, place);
    const address = wanted.fixedIps?.[0]?.ipAddress;
    const known = fixedAddressesOf(server);
    if (address !== undefined && (known.length === 0 || known.includes(address)))
        return clearTheAddress(wanted, owner, context, undefined, place);
    const [has] = known;
    throw new NfvError({
        code: "NOT_OURS",
        cause: `the storage server "${server.name}" (${server.id}) exists${has === undefined ? "" : ` with the address ${has}`}, and the cloud has no port of ours for it any more: another one would have another address, and the cluster's mounts would not follow; nothing was changed`,
        hint:
            "To replace the server, replace its Instance by name: the port, and so the address, stay. If the port no longer exists: " +
            `${storageInput("server.fixedAddress", place)} with the address that PersistentVolumes have${has === undefined ? "" : ` (${has})`}, and pulumi up --refresh, bring it back.`,
    });
}

/** A floating IP is created only after its port is in the state. */
async function isLedTo({ id }: Port, cloud: CloudClient): Promise<boolean> {
    return (await floatingIpsOn(cloud, id)).length > 0;
}

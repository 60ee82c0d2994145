import { NfvError } from "../errors";
import type { CloudClient } from "../openstack";
import {
    type FloatingIp,
    floatingIpsOn,
    getFloatingIp,
    getPort,
    isUnused,
    type Port,
    portsAt,
    portsNamed,
} from "../openstack/neutron";
import { cloudOf, someServerOf } from "./orphan-servers";
import { clear, type PartsOwner, wasMadeAs } from "./orphans";
import { importCommand, type Place } from "./place-in-program";
import type { Context } from "./types";

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

/** Neutron refuses a second floating IP for a port. @throws NOT_OURS */
export function clearThePort({ portId, description }: WantedFloatingIp, owner: PartsOwner, context: Context) {
    return clear<FloatingIp>(
        {
            find: cloud => floatingIpsOn(cloud, portId),
            again: async ({ id }, cloud) => {
                const ip = await getFloatingIp(cloud, id);
                return ip?.port_id === portId ? ip : undefined;
            },
            isOrphan: ip => wasMadeAs(description, ip, owner),
            name: ip => `the floating IP ${ip.floating_ip_address} (${ip.id})`,
            how: () => `leads to the port ${portId} already`,
            remove: ({ id }, cloud) => cloud.change("network", "DELETE", `/floatingips/${encodeURIComponent(id)}`),
            hint: ({ id }) =>
                `Free the port: openstack floating ip unset --port ${id} (the address stays reserved). ` +
                `If nobody needs the address: openstack floating ip delete ${id}. Then run pulumi up again.`,
        },
        owner,
        context,
    );
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
        isUnused(port) &&
        wasMadeAs(description, port, owner) &&
        !(await isLedTo(port, cloud)) &&
        !(await isInUse(cloud));
    const namesakes = async (cloud: CloudClient) => {
        const found = portName === undefined ? [] : await portsNamed(cloud, networkId, portName);
        const held = found.find(
            port => port.device_owner.startsWith("compute:") && wasMadeAs(description, port, owner),
        );
        if (held !== undefined) throw inUse(held, place);
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
            hint: ({ id }) =>
                `${address === undefined ? "" : "Give another address, or none. "}If nobody needs that port (openstack port show ${id}): ` +
                `openstack port delete ${id}, then run pulumi up again.`,
        },
        owner,
        context,
    );
}

/** A refresh through a proxy that answers 404 takes ports out of the state; with another port the server would be replaced. */
function inUse({ id, name: port, device_id: server }: Port, place?: Place): NfvError {
    return new NfvError({
        code: "NOT_OURS",
        cause: `the port "${port}" (${id}) of this cluster exists and is in use by the server ${server}, and Pulumi's state does not know it, or it is to be replaced; nothing was changed`,
        hint:
            (place === undefined
                ? ""
                : `Note it: ${importCommand("openstack:networking/port:Port", id, place)}. Then run pulumi up again. `) +
            "To replace a server, replace its Instance by name: its port, and so its address, stay.",
    });
}

/**
 * The port of the API's virtual address, which never has a device. The state has it before the first server is created.
 * So if servers of ours exist, control-plane nodes use the address.
 */
export function clearTheApiAddress(
    wanted: WantedPort,
    owner: PartsOwner,
    context: Context,
    servers: readonly string[],
): Promise<void> {
    return clearTheAddress(
        wanted,
        owner,
        context,
        async cloud => (await someServerOf(cloud, owner.mark, servers)) !== undefined,
    );
}

/**
 * The port of the storage server. While that server exists, the port is in the cloud or was deleted there by somebody, and another address would leave
 * all mounts hanging.
 * @throws NOT_OURS
 */
export async function keepTheStorageAddress(wanted: WantedPort, owner: PartsOwner, context: Context): Promise<void> {
    const server = wanted.fixedIps?.[0]?.ipAddress === undefined && (await serverOf(wanted, owner, context));
    if (!server) return clearTheAddress(wanted, owner, context);
    throw new NfvError({
        code: "NOT_OURS",
        cause: `the storage server "${server.name}" (${server.id}) has a port already: another one would have another address, and the cluster's mounts would not follow; nothing was changed`,
        hint:
            "To replace the server, replace its Instance by name: the port, and so the address, stay. If the port no longer exists: " +
            "storage.server.fixedAddress with the address that PersistentVolumes have, and pulumi up --refresh, bring it back.",
    });
}

async function serverOf({ name = "" }: WantedPort, owner: PartsOwner, context: Context) {
    return someServerOf(await cloudOf(owner, context), owner.mark, [name]);
}

/** A floating IP is created only after its port is in the state. */
async function isLedTo({ id }: Port, cloud: CloudClient): Promise<boolean> {
    return (await floatingIpsOn(cloud, id)).length > 0;
}

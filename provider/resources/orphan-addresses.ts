import { NfvError } from "../errors";
import type { CloudClient } from "../openstack";
import { markWord, ownerTags } from "../openstack/needs";
import { type FloatingIp, floatingIpsOn, getFloatingIp, getPort, type Port, portsAt } from "../openstack/neutron";
import { cloudOf, type ServersOwner } from "./orphan-servers";
import type { Context } from "./types";

/** Whose ports and floating IPs these are. */
export type AddressOwner = Pick<ServersOwner, "cloud" | "project" | "mark">;

/** A floating IP that is to be made. */
export interface WantedFloatingIp {
    /** Id of the port that it leads to. */
    portId: string;
    description?: string;
}

/** A port that is to be made. */
export interface WantedPort {
    networkId: string;
    fixedIps?: { ipAddress?: string }[];
    description?: string;
}

/**
 * Before a floating IP is made: removes the one that a killed run left on its port. Pulumi knows a floating IP only when the plug-in has
 * waited for it, so a run that is killed before leaves one, and Neutron lets no second one lead to the port.
 * @throws NOT_OURS for a floating IP on the port that is not proven to be what a killed run left
 */
export async function clearThePort(wanted: WantedFloatingIp, owner: AddressOwner, context: Context): Promise<void> {
    const cloud = await cloudOf(owner);
    const isOrphan = (ip: FloatingIp) => wasMadeAs(wanted.description, ip, owner);
    const found = await floatingIpsOn(cloud, wanted.portId);
    for (const ip of found) if (!isOrphan(ip)) throw strangeFloatingIp(ip, wanted);
    for (const { id } of found) {
        // The proof is looked at again. One that leads elsewhere by now holds nothing up.
        const ip = await getFloatingIp(cloud, id);
        if (ip === undefined || ip.port_id !== wanted.portId) continue;
        if (!isOrphan(ip)) throw strangeFloatingIp(ip, wanted);
        const what = `the floating IP ${ip.floating_ip_address} (${id})`;
        context.warn(
            `${what} of this cluster stands on its port already, as a killed run leaves it: it is deleted, then made again`,
        );
        await cloud.change("network", "DELETE", `/floatingips/${encodeURIComponent(id)}`);
    }
}

/**
 * The same for a port with a wanted address, which Neutron gives to one port only. A port without one is in the way of no other.
 * @throws NOT_OURS for a port with that address that is not proven to be what a killed run left
 */
export async function clearTheAddress(wanted: WantedPort, owner: AddressOwner, context: Context): Promise<void> {
    const address = wanted.fixedIps?.[0]?.ipAddress;
    if (address === undefined) return;
    const cloud = await cloudOf(owner);
    const isOrphan = (port: Port) => isUnused(port) && wasMadeAs(wanted.description, port, owner);
    const found = await portsAt(cloud, wanted.networkId, address);
    for (const port of found) if (!isOrphan(port) || (await isLedTo(port, cloud))) throw strangePort(port, address);
    for (const { id } of found) {
        const port = await getPort(cloud, id);
        if (port === undefined) continue;
        if (!isOrphan(port)) throw strangePort(port, address);
        const what = `the port "${port.name}" (${id}) of this cluster`;
        context.warn(
            `${what} has the address ${address} already, as a killed run leaves it: it is deleted, then made again`,
        );
        await cloud.change("network", "DELETE", `/ports/${encodeURIComponent(id)}`);
    }
}

/**
 * Made from this state, as this very thing: a run that ended well has noted it, so a killed one made it. Tags are set last, so they may be
 * missing; one that is not ours was given by somebody who has it in hand.
 */
function wasMadeAs(
    description: string | undefined,
    thing: Pick<FloatingIp, "description" | "tags">,
    { mark }: AddressOwner,
): boolean {
    const ours = ownerTags(mark);
    return (
        description?.includes(markWord(mark)) === true &&
        thing.description === description &&
        (thing.tags ?? []).every(tag => ours.includes(tag))
    );
}

function isUnused({ device_id, device_owner }: Port): boolean {
    return device_id === "" && device_owner === "";
}

/** A floating IP is made when its port is noted. */
async function isLedTo({ id }: Port, cloud: CloudClient): Promise<boolean> {
    return (await floatingIpsOn(cloud, id)).length > 0;
}

function strangeFloatingIp({ id, floating_ip_address: address }: FloatingIp, { portId }: WantedFloatingIp): NfvError {
    return new NfvError({
        code: "NOT_OURS",
        cause: `the floating IP ${address} (${id}) leads to the port ${portId} already, and is not what a killed run of this state left there`,
        hint:
            `Free the port: openstack floating ip unset --port ${id} (the address stays reserved). ` +
            `If nobody needs the address: openstack floating ip delete ${id}. Then run pulumi up again.`,
    });
}

function strangePort({ id, name, device_owner }: Port, address: string): NfvError {
    const user = device_owner === "" ? "" : `, ${device_owner}`;
    return new NfvError({
        code: "NOT_OURS",
        cause: `the port "${name}" (${id}${user}) has the address ${address} already, and is not what a killed run of this state left`,
        hint:
            `Give another address, or none. If nobody needs that port (openstack port show ${id}): ` +
            `openstack port delete ${id}, then run pulumi up again.`,
    });
}

import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { CloudClient } from "./client";

export interface Flavor {
    id: string;
    name: string;
    vcpus: number;
    /** MiB. */
    ram: number;
    /** GiB of the root disk; 0: as large as the image. */
    disk: number;
}

export interface Server {
    id: string;
    name: string;
    /** ACTIVE, BUILD, ERROR, SHUTOFF, … */
    status: string;
    metadata: Record<string, string>;
    flavor: { id?: string; original_name?: string };
    /** "": it boots from a volume. */
    image?: { id: string } | "";
    fault?: { message: string; details?: string; code: number };
    "OS-EXT-STS:task_state"?: string | null;
    "OS-EXT-STS:vm_state"?: string;
    /** null: the server never ran. */
    "OS-SRV-USG:launched_at"?: string | null;
    /** By name of the network. */
    addresses?: Record<string, { addr: string; "OS-EXT-IPS:type"?: string }[]>;
    "os-extended-volumes:volumes_attached"?: { id: string }[];
}

export interface ServerGroup {
    id: string;
    name: string;
    policies?: string[];
    policy?: string;
    members: string[];
}

/** -1: no limit. */
export type ComputeLimits = Record<string, number>;

/** Newest microversion that the service supports; "" if it has none. */
export async function computeVersion(cloud: CloudClient): Promise<string> {
    const answer = await cloud.getIfOffered<{ version?: { version?: string } }>("compute", "/");
    return answer?.version?.version ?? "";
}

export function listFlavors(cloud: CloudClient): Promise<Flavor[]> {
    return cloud.list<Flavor>("compute", "/flavors/detail", "flavors");
}

export function listServers(cloud: CloudClient): Promise<Server[]> {
    return cloud.list<Server>("compute", "/servers/detail", "servers");
}

/**
 * Undefined: the server does not exist, by Nova's answer and by its list of the project's servers. Both count, because
 * a missing server is recreated.
 * @throws CLOUD_UNREACHABLE if the two contradict each other
 */
export async function getServer(cloud: CloudClient, id: string): Promise<Server | undefined> {
    const found = await cloud.one<Server>("compute", `/servers/${encodeURIComponent(id)}`, "server");
    if (found !== undefined) return found;
    const all = await cloud.list<{ id: string }>("compute", "/servers", "servers");
    if (all.every(server => server.id !== id)) return undefined;
    throw new NfvError({
        code: "CLOUD_UNREACHABLE",
        cause: `Nova answers that the server ${id} does not exist, and lists it among the project's servers`,
        hint: "Run it again. If it stays so, ask the cloud's operator: Nova's parts do not agree.",
    });
}

/** Servers with exactly this name: Nova's own filter takes a part of a name, or a pattern. */
export async function serversNamed(cloud: CloudClient, name: string): Promise<Server[]> {
    const found = await cloud.list<Server>("compute", "/servers/detail", "servers", { name });
    return found.filter(server => server.name === name && !isDeleted(server));
}

/** The floating addresses if the server has any, otherwise all. */
export function addressesOf({ addresses = {} }: Server): string[] {
    const all = Object.values(addresses).flat();
    const floating = all.filter(each => each["OS-EXT-IPS:type"] === "floating");
    return (floating.length > 0 ? floating : all).map(({ addr }) => addr);
}

/** Addresses of its ports. */
export function fixedAddressesOf({ addresses = {} }: Server): string[] {
    const all = Object.values(addresses).flat();
    return all.filter(each => each["OS-EXT-IPS:type"] !== "floating").map(({ addr }) => addr);
}

const deleted = new Set(["DELETED", "SOFT_DELETED"]);

/** Whether the server no longer exists: Nova shows a deleted one for a while. */
export function isDeleted(server: Server | undefined): boolean {
    return server === undefined || deleted.has(server.status);
}

const deletionSeconds = 300;

/** Deletes a server and waits until it is gone: false if it is still there after five minutes. */
export async function deleteServer(cloud: CloudClient, id: string, signal?: AbortSignal): Promise<boolean> {
    await cloud.change("compute", "DELETE", `/servers/${encodeURIComponent(id)}`);
    for (const end = Date.now() + deletionSeconds * 1000; !isDeleted(await getServer(cloud, id)); ) {
        if (Date.now() >= end) return false;
        await sleep(1000, undefined, { signal });
    }
    return true;
}

export function listServerGroups(cloud: CloudClient): Promise<ServerGroup[]> {
    return cloud.list<ServerGroup>("compute", "/os-server-groups", "server_groups");
}

export interface KeyPair {
    name: string;
    /** In OpenSSH form. */
    public_key: string;
}

/** A key pair of the current user. */
export async function getKeyPair(cloud: CloudClient, name: string): Promise<KeyPair | undefined> {
    return cloud.one("compute", `/os-keypairs/${encodeURIComponent(name)}`, "keypair");
}

export async function listKeyPairs(cloud: CloudClient): Promise<string[]> {
    const pairs = await cloud.list<{ keypair: { name: string } }>("compute", "/os-keypairs", "keypairs");
    return pairs.map(({ keypair }) => keypair.name);
}

export async function computeLimits(cloud: CloudClient): Promise<ComputeLimits | undefined> {
    const answer = await cloud.getIfOffered<{ limits: { absolute: ComputeLimits } }>("compute", "/limits");
    return answer?.limits.absolute;
}

export async function computeZones(cloud: CloudClient): Promise<string[]> {
    return zoneNames(await cloud.list<Zone>("compute", "/os-availability-zone", "availabilityZoneInfo"));
}

/** Last lines of the console; undefined if the cloud has none for this server or does not show them. */
export async function consoleLog(cloud: CloudClient, id: string, lines: number): Promise<string | undefined> {
    const body = { "os-getConsoleOutput": { length: lines } };
    const answer = await cloud.change<{ output?: string }>(
        "compute",
        "POST",
        `/servers/${encodeURIComponent(id)}/action`,
        { body },
    );
    return answer.output;
}

export interface Zone {
    zoneName: string;
    zoneState: { available: boolean };
}

export function zoneNames(zones: Zone[]): string[] {
    return zones.filter(zone => zone.zoneState.available).map(zone => zone.zoneName);
}

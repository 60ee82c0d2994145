import { NfvError } from "../errors";
import { CloudClient, lookAtServer, type ServerSight } from "../openstack";
import { findCloud } from "../openstack/cloud-config";
import { getServer } from "../openstack/nova";
import type { CloudSettings } from "../openstack/settings";
import { canonicalJson } from "../steps/fingerprint";
import type { ServerInputs } from "./machine";

const clients = new Map<string, CloudClient>();

/** One client for each cloud and login of this process. @throws CLOUD_CONFIG_INVALID */
export function cloudOf(settings: CloudSettings): CloudClient {
    const config = findCloud(settings);
    const key = canonicalJson(config);
    const client = clients.get(key) ?? new CloudClient(config);
    clients.set(key, client);
    return client;
}

/** Closes what is open to clouds; used again, it opens again. */
export function closeClouds(): void {
    for (const client of clients.values()) client.close();
    clients.clear();
}

/** What the cloud shows of a machine's server; undefined: it is not known, or the cloud cannot be asked. */
export async function sightOf({ server, serverId }: ServerInputs): Promise<ServerSight | undefined> {
    if (server === undefined || serverId === undefined) return undefined;
    try {
        return await lookAtServer(cloudOf(server.cloud), serverId);
    } catch (error) {
        if (error instanceof NfvError) return undefined;
        throw error;
    }
}

const deleted = new Set([undefined, "DELETED", "SOFT_DELETED"]);

/** Whether the cloud says that the server does not exist any more. Asked nowhere but in the cloud of a known server. */
export async function isGone({ server, serverId }: ServerInputs): Promise<boolean> {
    if (server === undefined || serverId === undefined) return false;
    try {
        return deleted.has((await getServer(cloudOf(server.cloud), serverId))?.status);
    } catch (error) {
        if (error instanceof NfvError) return false;
        throw error;
    }
}

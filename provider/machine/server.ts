import { NfvError } from "../common/errors";
import type { Context, InSession } from "../contract/types";
import { CloudClient, lookAtServer, otherProject, type ProjectAndRegion, type ServerSight } from "../openstack";
import { findCloud } from "../openstack/cloud-config";
import { getServer, isDeleted } from "../openstack/nova";
import type { CloudSettings } from "../openstack/settings";
import { canonicalJson } from "../steps/fingerprint";
import type { ServerInputs } from "./machine";

/** The clients of one run: one per cloud and login. */
class CloudClients {
    private readonly clients = new Map<string, CloudClient>();

    of(settings: CloudSettings): CloudClient {
        const config = findCloud(settings);
        const key = canonicalJson(config);
        const client = this.clients.get(key) ?? new CloudClient(config);
        this.clients.set(key, client);
        return client;
    }

    close(): void {
        for (const client of this.clients.values()) client.close();
    }
}

/** @throws CLOUD_CONFIG_INVALID */
export function cloudClient({ session }: InSession, settings: CloudSettings): CloudClient {
    return session.part(CloudClients).of(settings);
}

/**
 * Refuses credentials of another project. If the cloud does not answer, nothing is refused: requests that need it fail
 * themselves.
 * @throws CLOUD_CONFIG_INVALID for another project's credentials, or another region
 */
export async function refuseOtherProject(
    { name, cloud, ...home }: ProjectAndRegion & { name: string; cloud: CloudSettings },
    context: Context,
): Promise<void> {
    let wrong: NfvError | undefined;
    try {
        wrong = await otherProject(cloudClient(context, cloud), home);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${name}: whether this is the cluster's project and region was not found out: ${error.reason}`);
    }
    if (wrong !== undefined) throw wrong;
}

/** Undefined if the server is unknown, or if its cloud cannot be asked. No other cloud is ever asked. */
async function asked<T>(
    context: InSession,
    { server, serverId }: ServerInputs,
    question: (cloud: CloudClient, serverId: string) => Promise<T>,
): Promise<T | undefined> {
    if (server === undefined || serverId === undefined) return undefined;
    try {
        const cloud = cloudClient(context, server.cloud);
        // With another project or region, every server seems not to exist.
        if ((await otherProject(cloud, server)) !== undefined) return undefined;
        return await question(cloud, serverId);
    } catch (error) {
        if (error instanceof NfvError) return undefined;
        throw error;
    }
}

/** The cloud's view of a machine's server; undefined if it cannot be asked. */
export function serverStatusOf(context: InSession, machine: ServerInputs): Promise<ServerSight | undefined> {
    return asked(context, machine, lookAtServer);
}

/** Whether the cloud says that the server no longer exists. */
export async function isGone(context: InSession, machine: ServerInputs): Promise<boolean> {
    return (await asked(context, machine, async (cloud, id) => isDeleted(await getServer(cloud, id)))) ?? false;
}

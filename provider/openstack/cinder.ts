import { NfvError } from "../common/errors";
import { type CloudClient, CloudRefused } from "./client";
import { type Zone, zoneNames } from "./nova";

export interface Volume {
    id: string;
    name: string | null;
    status: string;
    /** GiB. */
    size: number;
    volume_type?: string;
    metadata: Record<string, string>;
    attachments: { server_id: string }[];
    volume_image_metadata?: { image_id?: string };
}

export interface Snapshot {
    id: string;
    name: string | null;
    status: string;
    /** GiB, of its volume. */
    size: number;
    volume_id: string;
    /** In UTC, all in the same form: later ones are greater as texts. */
    created_at: string;
    metadata: Record<string, string>;
    /** "40%" */
    "os-extended-snapshot-attributes:progress"?: string;
}

/** -1: no limit. */
export interface Quota {
    limit: number;
    used: number;
}

export function listVolumes(cloud: CloudClient): Promise<Volume[]> {
    return cloud.list<Volume>("block-storage", "/volumes/detail", "volumes");
}

export async function getVolume(cloud: CloudClient, id: string): Promise<Volume | undefined> {
    return cloud.one("block-storage", `/volumes/${encodeURIComponent(id)}`, "volume");
}

export function listVolumeTypes(cloud: CloudClient): Promise<{ id: string; name: string }[]> {
    return cloud.list("block-storage", "/types", "volume_types");
}

export async function volumeZones(cloud: CloudClient): Promise<string[]> {
    return zoneNames(await cloud.list<Zone>("block-storage", "/os-availability-zone", "availabilityZoneInfo"));
}

/** Keys: volumes, gigabytes, per_volume_gigabytes, and those of single volume types: volumes_ssd, gigabytes_ssd. */
export async function volumeQuota(cloud: CloudClient): Promise<Record<string, Quota>> {
    const project = await cloud.projectId();
    try {
        type Set = Record<string, { limit: number; in_use: number; reserved?: number } | string>;
        const path = `/os-quota-sets/${project}`;
        const answer = await cloud.getIfOffered<{ quota_set: Set }>("block-storage", path, { usage: "true" });
        const entries = Object.entries(answer?.quota_set ?? {}).flatMap(([name, value]) =>
            typeof value === "string"
                ? []
                : [[name, { limit: value.limit, used: value.in_use + (value.reserved ?? 0) }]],
        );
        return Object.fromEntries(entries);
    } catch (error) {
        if (!(error instanceof CloudRefused && error.status === 403)) throw error;
        return volumeLimits(cloud);
    }
}

/** The limits that each user may read. */
async function volumeLimits(cloud: CloudClient): Promise<Record<string, Quota>> {
    const answer = await cloud.getIfOffered<{ limits: { absolute: Record<string, number> } }>(
        "block-storage",
        "/limits",
    );
    const absolute = answer?.limits.absolute ?? {};
    const quota = (limit: string, used: string): Quota => ({ limit: absolute[limit] ?? -1, used: absolute[used] ?? 0 });
    return {
        volumes: quota("maxTotalVolumes", "totalVolumesUsed"),
        gigabytes: quota("maxTotalVolumeGigabytes", "totalGigabytesUsed"),
    };
}

/** Whether the volume exists. If the cloud refuses to show it, it may exist. */
export async function volumeExists(cloud: CloudClient, id: string): Promise<boolean> {
    if (id === "") return false;
    try {
        return (await cloud.get("block-storage", `/volumes/${encodeURIComponent(id)}`)) !== undefined;
    } catch (error) {
        if (!(error instanceof CloudRefused)) throw error;
        return true;
    }
}

export function listSnapshots(cloud: CloudClient): Promise<Snapshot[]> {
    return cloud.list<Snapshot>("block-storage", "/snapshots/detail", "snapshots");
}

export async function getSnapshot(cloud: CloudClient, id: string): Promise<Snapshot | undefined> {
    return cloud.one("block-storage", snapshotPath(id), "snapshot");
}

/** `force`: although the volume is in use. Microversions from 3.66 on refuse the word; without a header it is 3.0. */
export async function createSnapshot(
    cloud: CloudClient,
    { volumeId, name, metadata }: { volumeId: string; name: string; metadata: Record<string, string> },
): Promise<Pick<Snapshot, "id">> {
    const body = { snapshot: { volume_id: volumeId, name, metadata, force: true } };
    const answer = await cloud.change<{ snapshot?: Snapshot }>("block-storage", "POST", "/snapshots", { body });
    if (answer.snapshot?.id === undefined) {
        throw new CloudRefused(
            200,
            "POST /snapshots of block-storage: the answer has no snapshot",
            "CLOUD_UNREACHABLE",
        );
    }
    return answer.snapshot;
}

/** Only sends the request: the cloud deletes it in the background. */
export async function deleteSnapshot(cloud: CloudClient, id: string): Promise<void> {
    await cloud.change("block-storage", "DELETE", snapshotPath(id));
}

function snapshotPath(id: string): string {
    return `/snapshots/${encodeURIComponent(id)}`;
}

/** Why Cinder could not make a thing, as far as it tells its users. Old clouds tell nothing. */
export async function messagesOf(cloud: CloudClient, id: string): Promise<string[]> {
    try {
        const query = { resource_uuid: id };
        const microversion = "volume 3.5";
        type Message = { user_message?: string };
        const found = await cloud.list<Message>("block-storage", "/messages", "messages", query, { microversion });
        return [...new Set(found.flatMap(({ user_message }) => user_message ?? []))];
    } catch (error) {
        if (error instanceof NfvError) return [];
        throw error;
    }
}

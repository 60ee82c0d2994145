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

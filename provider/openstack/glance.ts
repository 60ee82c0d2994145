import type { CloudClient } from "./client";
import { isId } from "./is-id";

export interface Image {
    id: string;
    name: string | null;
    status: string;
    /** GiB. */
    min_disk: number;
    /** MiB. */
    min_ram: number;
    /** Bytes in the store. */
    size: number | null;
    /** Bytes of the disk it becomes. */
    virtual_size?: number | null;
    disk_format?: string;
}

/** Images of this name, and the one with this id. */
export async function findImages(cloud: CloudClient, nameOrId: string): Promise<Image[]> {
    const named = cloud.list<Image>("image", "/images", "images", { name: nameOrId });
    const byId = isId(nameOrId) ? cloud.get<Image>("image", `/images/${nameOrId}`) : Promise.resolve(undefined);
    const [list, single] = await Promise.all([named, byId]);
    return single === undefined ? list : [single];
}

/** Some of the images that there are, for suggestions. */
export async function imageNames(cloud: CloudClient): Promise<string[]> {
    const query = { limit: "500", sort: "created_at:desc" };
    const answer = await cloud.get<{ images: Image[] }>("image", "/images", query);
    return (answer?.images ?? []).flatMap(image => image.name ?? []);
}

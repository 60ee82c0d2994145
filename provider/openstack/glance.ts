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
    /** Size of the stored file in bytes. */
    size: number | null;
    /** Size of the disk made from it, in bytes. */
    virtual_size?: number | null;
    disk_format?: string;
}

/** Images with this name, and the image with this id. */
export async function findImages(cloud: CloudClient, nameOrId: string): Promise<Image[]> {
    const named = cloud.list<Image>("image", "/images", "images", { name: nameOrId });
    const byId = isId(nameOrId) ? cloud.get<Image>("image", `/images/${nameOrId}`) : Promise.resolve(undefined);
    const [list, single] = await Promise.all([named, byId]);
    return single === undefined ? list : [single];
}

/** Names of up to 500 images, for suggestions. */
export async function imageNames(cloud: CloudClient): Promise<string[]> {
    const query = { limit: "500", sort: "created_at:desc" };
    const answer = await cloud.get<{ images: Image[] }>("image", "/images", query);
    return (answer?.images ?? []).flatMap(image => image.name ?? []);
}

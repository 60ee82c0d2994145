import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { SystemName } from "../../lab/images";
import { flavors } from "../../lab/openstack/project";
import { otherServers } from "../../lab/openstack/server-images";
import type { CloudFixture } from "./cloud-fixture";

/** An image and a flavor whose names the cloud's operator moves to others, as in clouds every month. */
export interface Rotation {
    /** The name in the program. */
    name: string;
    /** Ids of the image and flavor that have the name now. */
    ids(): Promise<{ image: string; flavor: string }>;
    /** Moves the name to another image and another flavor; the old ones are renamed to `<name>-former`. */
    rotate(): Promise<void>;
    /** Id of the image that a server, or its boot volume, was made from. */
    imageOf(server: string): Promise<string>;
    /** Id of a server's flavor. */
    flavorOf(server: string): Promise<string>;
    clear(): Promise<void>;
}

/** The image with Kubernetes and a flavor for it, under this name. `next`: the system of the image that gets the name then. */
export async function openRotation({ cloud }: CloudFixture, name: string, next?: SystemName): Promise<Rotation> {
    const folder = mkdtempSync("/tmp/nfv-rotation-");
    const file = `${folder}/image`;
    const admin = (...words: string[]) => cloud.openstack(words, { admin: true });
    const { ram, disk, vcpus } = flavors.find(flavor => flavor.name === "m1.medium")!;
    const size = ["--ram", `${ram}`, "--disk", `${disk}`, "--vcpus", `${vcpus}`];
    const idOf = async (kind: string, which: string) => String((await cloud.json([kind, "show", which]))["id"]);
    const makeImage = () =>
        cloud.openstack([
            "image",
            "create",
            "--disk-format",
            "raw",
            "--container-format",
            "bare",
            "--file",
            file,
            name,
        ]);
    // The client passes its own default "auto" on as a literal id, which works only once.
    const makeFlavor = (id: string = randomUUID(), as = name) => admin("flavor", "create", ...size, "--id", id, as);
    const clear = async () => {
        const gone = [`${name}-former`, name].flatMap(each => [
            cloud.openstack(["image", "delete", each]),
            admin("flavor", "delete", each),
        ]);
        await Promise.allSettled(gone);
        rmSync(folder, { recursive: true, force: true });
    };
    await cloud.openstack(["image", "save", "--file", file, cloud.images.kubernetes]);
    await Promise.all([makeImage(), makeFlavor()]);
    if (next !== undefined) {
        const { content } = await otherServers(name, next, line => console.log(`      ${line}`));
        writeFileSync(file, JSON.stringify(content));
    }
    return {
        name,
        clear,
        ids: async () => {
            const [image, flavor] = await Promise.all([idOf("image", name), idOf("flavor", name)]);
            return { image, flavor };
        },
        rotate: async () => {
            const flavor = await idOf("flavor", name);
            await Promise.all([
                cloud.openstack(["image", "set", "--name", `${name}-former`, name]).then(makeImage),
                // A flavor cannot be renamed: operators delete it and make it again with its id.
                admin("flavor", "delete", name)
                    .then(() => makeFlavor(flavor, `${name}-former`))
                    .then(() => makeFlavor()),
            ]);
        },
        imageOf: async server => {
            const shown = await cloud.json<Record<string, unknown>>(["server", "show", server]);
            const [, image] = /\(([0-9a-f-]{36})\)$/.exec(String(shown["image"])) ?? [];
            if (image !== undefined) return image;
            const [volume] = shown["volumes_attached"] as { id: string }[];
            const { volume_image_metadata: metadata } = await cloud.json<Record<string, any>>([
                "volume",
                "show",
                volume!.id,
            ]);
            return metadata.image_id;
        },
        flavorOf: async server => {
            const shown = await cloud.json<Record<string, unknown>>(["server", "show", server]);
            return /\((.+)\)$/.exec(String(shown["flavor"]))![1]!;
        },
    };
}

import { type CloudClient, isSettled } from "../../openstack";
import { getVolume } from "../../openstack/cinder";
import { findImages } from "../../openstack/glance";
import { type Flavor, getServer, isDeleted, listFlavors, type Server } from "../../openstack/nova";
import { notAsDefined } from "../../openstack/stack-forecast";
import type { CloudStartInputs } from "../cloud-start-inputs";
import type { LostServers } from "./lost-servers";
import { healedOf, type SeenStack } from "./stack-servers";

type Wish = { images?: string; flavors?: string };

/**
 * Image and flavor of each server that exists. The state may be older than the servers, or name what a heal was to use
 * that did not end.
 */
export async function madeOfLiving(
    { spec, images = {}, flavors = {} }: CloudStartInputs,
    seen: SeenStack,
    missing: LostServers,
): Promise<Pick<CloudStartInputs, "images" | "flavors">> {
    const { stack } = seen;
    // Parameters of a change that goes on are not yet true.
    if (stack.state === "IN_PROGRESS") return {};
    const said = new Map(
        Object.entries(spec.nodes).flatMap(([name, { stack: place }]): [string, Wish][] => {
            if (place?.madeOf === undefined || Object.hasOwn(missing, name)) return [];
            const { images: image, flavors: flavor } = place.madeOf;
            return [[name, { images: stack.parameters[image], flavors: stack.parameters[flavor] }]];
        }),
    );
    // Those of a change that failed say what was wanted; Heat knows which of its resources are otherwise.
    const made = isSettled(stack) ? said : await asTheyAre(said, spec, seen);
    const known = (kind: keyof Wish) =>
        Object.fromEntries(
            [...made].flatMap(([name, { [kind]: value }]) => (value === undefined ? [] : [[name, value]])),
        );
    return { images: { ...images, ...known("images") }, flavors: { ...flavors, ...known("flavors") } };
}

async function asTheyAre(
    said: ReadonlyMap<string, Wish>,
    spec: CloudStartInputs["spec"],
    { cloud, stack, resources }: SeenStack,
): Promise<Map<string, Wish>> {
    if (said.size === 0) return new Map();
    const made = new Map(resources.map(each => [each.resource_name, each.physical_resource_id]));
    const otherwise = new Set(await notAsDefined(cloud, stack, resources));
    const healed = healedOf(spec);
    const flavors = await listFlavors(cloud);
    const entries = [...said].map(async ([name, wish]): Promise<[string, Wish]> => {
        const parts = healed.get(name)!;
        // Somebody may have resized or rebuilt it by hand, and Heat does not know.
        if (!parts.some(each => otherwise.has(each))) return [name, wish];
        const ids = parts.map(each => made.get(each) ?? "");
        const server = ids[0] === "" ? undefined : await getServer(cloud, ids[0]!);
        if (server === undefined || isDeleted(server)) return [name, {}];
        const image = await imageOf(cloud, server, ids.slice(1));
        return [
            name,
            { images: await sameImage(cloud, wish.images, image), flavors: sameFlavor(flavors, wish.flavors, server) },
        ];
    });
    return new Map(await Promise.all(entries));
}

/** Id of the image of its disk; undefined if neither Nova nor Cinder says it. */
async function imageOf(cloud: CloudClient, { image }: Server, volumes: readonly string[]): Promise<string | undefined> {
    if (image) return image.id;
    for (const id of volumes) {
        const { volume_image_metadata: from } = (id !== "" && (await getVolume(cloud, id))) || {};
        if (from?.image_id !== undefined) return from.image_id;
    }
    return undefined;
}

/** The word of the stack's parameter if it means this image: for Heat, another word is a change. */
async function sameImage(
    cloud: CloudClient,
    word: string | undefined,
    id: string | undefined,
): Promise<string | undefined> {
    if (id === undefined || word === undefined || word === id) return id;
    return (await findImages(cloud, word)).some(image => image.id === id) ? word : id;
}

function sameFlavor(all: readonly Flavor[], word: string | undefined, { flavor }: Server): string | undefined {
    const of = all.find(({ id, name }) => id === flavor.id || name === flavor.original_name);
    return of === undefined || word === of.id || word === of.name ? word : of.id;
}

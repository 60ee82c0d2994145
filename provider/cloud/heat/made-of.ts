import { hasUnknown } from "../../contract/values";
import type { CloudClient } from "../../openstack";
import { matching } from "../../openstack/checks/situation";
import { findImages } from "../../openstack/glance";
import { listFlavors } from "../../openstack/nova";
import type { CloudStartInputs, CloudStartSpec } from "../cloud-start-inputs";

type Seen = Partial<CloudStartInputs>;

/** Image and flavor for the server of a node or for the jump server. */
interface Wish {
    image?: string;
    flavor?: string;
}

function wishesOf(spec: Partial<CloudStartSpec> | undefined): Record<string, Wish> {
    const { nodes = {}, jump } = spec ?? {};
    return { ...nodes, ...(jump && { [jump.name]: jump }) };
}

/** Names of servers that the stack has or had: those of nodes, and the jump server's. */
export function serverNames(spec: Partial<CloudStartSpec> | undefined): string[] {
    return Object.keys(wishesOf(spec));
}

/**
 * Servers that this run creates: new ones, lost ones, and a jump server whose image or flavor changes. The jump server
 * has no data, so Heat may change or replace it; nodes keep what they were made of.
 */
export function madeNow(olds: Seen, news: CloudStartInputs): string[] {
    const [before, after] = [wishesOf(olds.spec), wishesOf(news.spec)];
    const jump = news.spec.jump?.name;
    const isOther = (name: string) =>
        name === jump && (["image", "flavor"] as const).some(wish => before[name]![wish] !== after[name]![wish]);
    return Object.keys(after).filter(
        name => before[name] === undefined || olds.missing?.[name] !== undefined || isOther(name),
    );
}

/** Image and flavor of each server, existing or to be created, as far as they are known without the cloud. */
export function madeOf(olds: Seen, news: CloudStartInputs): Record<"images" | "flavors", Record<string, string>> {
    const fresh = new Set(madeNow(olds, news));
    const of = (kept: Record<string, string> | undefined, wish: "image" | "flavor") =>
        Object.fromEntries(
            Object.entries(wishesOf(news.spec)).flatMap(([name, wishes]) => {
                const value = (fresh.has(name) ? undefined : kept?.[name]) ?? wishes[wish];
                return value === undefined ? [] : [[name, value]];
            }),
        );
    return { images: of(olds.images, "image"), flavors: of(olds.flavors, "flavor") };
}

/**
 * madeOf with ids in place of names, for servers that are created now. At each change of its stack, Heat resolves the
 * names of all servers, and refuses the change if a name is ambiguous. An existing server keeps its value: Heat would
 * replace it for another one.
 */
export async function withIdsOf(
    cloud: CloudClient,
    { images = {}, flavors = {} }: Pick<CloudStartInputs, "images" | "flavors">,
    fresh: readonly string[],
): Promise<Pick<CloudStartInputs, "images" | "flavors">> {
    const wanted = (all: Record<string, string>) =>
        new Set(fresh.flatMap(name => all[name] ?? []).filter(word => !hasUnknown(word)));
    const flavorList = wanted(flavors).size === 0 ? [] : await listFlavors(cloud);
    const imageIds = await Promise.all(
        [...wanted(images)].map(async word => [word, only(await findImages(cloud, word))] as const),
    );
    const flavorIds = [...wanted(flavors)].map(word => [word, only(matching(flavorList, word))] as const);
    const exchanged = (all: Record<string, string>, ids: readonly (readonly [string, string | undefined])[]) => {
        const found = new Map(ids);
        return Object.fromEntries(
            Object.entries(all).map(([name, word]) => [name, (fresh.includes(name) && found.get(word)) || word]),
        );
    };
    return { images: exchanged(images, imageIds), flavors: exchanged(flavors, flavorIds) };
}

/** The only id; undefined if there is none or several, which the checks report. */
function only(things: readonly { id: string }[]): string | undefined {
    return things.length === 1 ? things[0]!.id : undefined;
}

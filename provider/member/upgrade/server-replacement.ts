import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import type { Context } from "../../contract/types";
import { hasUnknown } from "../../contract/values";
import type { Peer, ServerInputs } from "../../machine/machine";
import { cloudClient } from "../../machine/server";
import { findImages } from "../../openstack/glance";
import { getServer, listFlavors } from "../../openstack/nova";
import type { SshTarget } from "../../ssh";
import type { PoolInput } from "../rolling";
import { drained, turnOf } from "./upgrade-preview";

/** From what a new server is made, as the program says. */
export interface Replacement {
    image: string;
    flavor: string;
    /** The server that goes, and the version of Kubernetes on it. Undefined: a stopped run has taken the node out already, so it joins. */
    former?: { id: string; version?: string };
}

/** Input of a Node whose server this run replaces on purpose. It is never stored. */
export interface ReplacementInput {
    replacement?: Replacement;
}

interface Inputs extends ReplacementInput, PoolInput, ServerInputs {
    spec: Pick<NodeSpec, "clusterId" | "name" | "role" | "drain" | "kubernetesVersion">;
    controlPlane: readonly Peer[];
    connection: SshTarget;
}

/** The engine gives no former inputs: it has planned to delete the node with its server when it comes to make it again. */
export function needsLookAtServer({ replacement, spec }: Inputs): boolean {
    return replacement?.former !== undefined && !hasUnknown([replacement, spec.name]);
}

/** What preview says of it, from what the cloud has now. A cloud that does not answer makes it shorter. */
export async function sayReplacement(news: Inputs, context: Context): Promise<void> {
    const { replacement, spec } = news;
    const { former } = replacement ?? {};
    if (replacement === undefined || former === undefined) return;
    const made = await madeOf(news, former.id, replacement, context);
    const change = (what: string, from: string | undefined, to: string) =>
        from === undefined ? `${what} ${to}` : from === to ? `${what} ${to} as before` : `${what} ${from} to ${to}`;
    const image = change("image", made.image?.from, made.image?.to ?? replacement.image);
    const to = spec.kubernetesVersion;
    const version = [undefined, to].includes(former.version) ? "" : `, ${change("Kubernetes", former.version, to)}`;
    context.note(
        `server replaced: ${image}, ${change("flavor", made.flavor, replacement.flavor)}${version}; ${turnOf(news)}; ${drained(news)}; ` +
            "then its server goes with its disk; port, addresses and further volumes stay",
    );
}

interface MadeOf {
    image?: { from: string; to: string };
    flavor?: string;
}

async function madeOf(
    { server: place, spec }: Inputs,
    id: string,
    { image }: Replacement,
    context: Context,
): Promise<MadeOf> {
    if (place === undefined || hasUnknown(place.cloud)) return {};
    try {
        const cloud = cloudClient(context, place.cloud);
        const server = await getServer(cloud, id);
        if (server === undefined) return {};
        // A boot volume is made from an image that the server does not name.
        const from = typeof server.image === "object" ? server.image.id : undefined;
        const [flavors, [now], [former]] = await Promise.all([
            listFlavors(cloud),
            findImages(cloud, image),
            from === undefined ? [] : findImages(cloud, from),
        ]);
        const shown = (named: { id: string; name: string | null } | undefined, other: string) =>
            named === undefined ? other : `${named.name ?? ""} (${named.id.slice(0, 8)})`.trim();
        // Old versions of the API name the flavor by its id. One that is deleted is not listed.
        const { id: flavorId, original_name = flavorId } = server.flavor;
        const flavor = flavors.find(({ id }) => id === flavorId)?.name ?? original_name;
        return {
            ...(flavor !== undefined && { flavor }),
            ...(from !== undefined && { image: { from: shown(former, from), to: shown(now, image) } }),
        };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.note(`from what the server of ${spec.name} was made was not found out: ${error.reason}`);
        return {};
    }
}

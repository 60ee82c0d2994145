import { hasUnknown } from "../../unknown";
import type { CloudFacts } from "../facts";
import type { CloudNeeds, NetworkNeed, Owner, Problem, Reference, ServerNeed, VolumeNeed } from "../needs";
import { clusterKey, ownerTags, pulumiStackKey } from "../needs";
import type { Network, Subnet } from "../neutron";
import type { Server } from "../nova";
import { suggestion } from "../suggest";

/** What is wanted and what there is: each check is a function of the two. */
export interface Situation {
    needs: CloudNeeds;
    facts: CloudFacts;
}

export type Check = (situation: Situation) => Problem[];

export function known<T>(value: T | undefined): value is T {
    return value !== undefined && !hasUnknown(value);
}

export function allVolumes(needs: CloudNeeds): { volume: VolumeNeed; server?: ServerNeed; boot?: boolean }[] {
    const ofServers = needs.servers.flatMap(server => [
        ...(server.bootVolume === undefined ? [] : [{ volume: server.bootVolume, server, boot: true }]),
        ...(server.volumes ?? []).map(volume => ({ volume, server })),
    ]);
    return [...ofServers, ...(needs.volumes ?? []).map(volume => ({ volume }))];
}

/** Ports that are made or used, the virtual address among them. */
export function allNetworks(needs: CloudNeeds): NetworkNeed[] {
    return [
        ...needs.servers.flatMap(server => server.networks),
        ...(needs.vip === undefined ? [] : [needs.vip.network]),
    ];
}

export function allFloatingIps(needs: CloudNeeds) {
    return [
        ...needs.servers.flatMap(server =>
            server.floatingIp === undefined
                ? []
                : [{ network: server.networks[0], ...server.floatingIp, server: server.name }],
        ),
        ...(needs.floatingIps ?? []).map(each => ({ network: needs.vip?.network, ...each, server: undefined })),
    ];
}

interface Named {
    id: string;
    name?: string | null;
}

/** Things of this name or id: an id counts alone. */
export function matching<T extends Named>(things: readonly T[], nameOrId: string): T[] {
    const byId = things.filter(thing => thing.id === nameOrId);
    return byId.length > 0 ? byId : things.filter(thing => thing.name === nameOrId);
}

/** The one thing meant; undefined if it is unknown yet, absent or ambiguous. */
export function theOne<T extends Named>(
    things: readonly T[] | undefined,
    reference: Reference | undefined,
): T | undefined {
    if (things === undefined || !known(reference)) return undefined;
    const [first, ...others] = matching(things, reference.name);
    return others.length === 0 ? first : undefined;
}

/** That there is exactly one. `fitting`: those that could be meant. */
export function exists<T extends Named>(
    id: string,
    what: string,
    things: readonly T[] | undefined,
    reference: Reference | undefined,
    fitting = things,
): Problem[] {
    if (things === undefined || !known(reference)) return [];
    const { name, path } = reference;
    const found = matching(things, name);
    if (found.length === 1) return [];
    if (found.length === 0) {
        const hint = suggestion(
            name,
            (fitting ?? []).map(thing => thing.name ?? ""),
        );
        return [{ id: `${id}-unknown`, path, message: `there is no ${what} "${name}" in this project`, hint }];
    }
    const ids = found.map(thing => thing.id).join(", ");
    return [
        {
            id: `${id}-ambiguous`,
            path,
            message: `${found.length} ${what}s are called "${name}"`,
            hint: `Give one of the ids instead: ${ids}.`,
        },
    ];
}

interface Tagged extends Named {
    metadata?: Record<string, string>;
    tags?: string[] | null;
}

/** Whether something is this cluster's: made by its stack, or marked with its owner. */
export function isOurs({ facts }: Situation, thing: Tagged): boolean {
    if (facts.stackIds?.includes(thing.id) && isOurStack(facts)) return true;
    return facts.owners.some(owner => hasOwner(thing, owner));
}

/** Whether it is the back end's that the cluster has now. */
function isOfBackEnd({ facts: { kept, stackIds = [] } }: Situation, { id }: Named): boolean {
    return kept === undefined || stackIds.includes(id) === (kept === "in the stack");
}

/** Whether this cluster has it and goes on with it. */
export function isKept(situation: Situation, thing: Tagged): boolean {
    return isOfBackEnd(situation, thing) && isOurs(situation, thing);
}

/** Marked for a cluster, whichever it is. */
function isMarked(thing: Tagged): boolean {
    const tags = thing.tags ?? [];
    return thing.metadata?.[clusterKey] !== undefined || tags.some(tag => tag.startsWith(`${clusterKey}=`));
}

/** For counting: what has the right name and is nobody else's. */
export function isOursByName(situation: Situation, thing: Tagged, name: string | undefined): boolean {
    if (name === undefined || thing.name !== name || !isOfBackEnd(situation, thing)) return false;
    return isOurs(situation, thing) || !isMarked(thing);
}

/** A stack made before it could be marked is ours if we have been here before. */
export function isOurStack(facts: CloudFacts): boolean {
    if (facts.stack === undefined) return false;
    const stack = { id: facts.stack.id, tags: facts.stack.tags };
    return facts.owners.some(owner => hasOwner(stack, owner)) || (!isMarked(stack) && facts.owners.length > 1);
}

/** What tells owners apart; users may put metadata of their own beside it, and change it. */
const ownerKeys = [clusterKey, pulumiStackKey];

/** The cluster's name must be there; the Pulumi stack, if it is there, must not be another one. */
function hasOwner({ metadata = {}, tags }: Tagged, owner: Owner): boolean {
    const marks = [...Object.entries(metadata).map(([key, value]) => `${key}=${value}`), ...(tags ?? [])];
    const keys = ownerKeys.filter(key => owner[key] !== undefined);
    const [cluster, ...others] = ownerTags(Object.fromEntries(keys.map(key => [key, owner[key]!])));
    return (
        marks.includes(cluster!) &&
        others.every(tag => {
            const prefix = tag.slice(0, tag.indexOf("=") + 1);
            return !marks.some(mark => mark.startsWith(prefix)) || marks.includes(tag);
        })
    );
}

/** The server that is this node already. */
export function serverOf(situation: Situation, need: ServerNeed): Server | undefined {
    return situation.facts.servers?.find(server => server.name === need.name && isKept(situation, server));
}

/** Network and subnets in which a port would be, if they exist. */
export function placeOf({ facts }: Situation, need: NetworkNeed): { network?: Network; subnets: Subnet[] } {
    if (hasUnknown(need)) return { subnets: [] };
    const subnet = theOne(facts.subnets, need.subnet);
    const network =
        need.network !== undefined
            ? theOne(facts.networks, need.network)
            : facts.networks?.find(each => each.id === subnet?.network_id);
    const all = (facts.subnets ?? []).filter(each => each.network_id === network?.id);
    return { network, subnets: subnet !== undefined ? [subnet] : all };
}

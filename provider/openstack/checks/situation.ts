import { hasUnknown } from "../../common/unknown-value";
import type { CloudInventory } from "../inventory";
import type { Network, Subnet } from "../neutron";
import type { Server } from "../nova";
import type {
    CloudRequirements,
    NetworkNeed,
    Owner,
    Problem,
    Reference,
    ServerNeed,
    VolumeNeed,
} from "../requirements";
import { clusterKey, ownerTags, pulumiStackKey } from "../requirements";
import { suggestion } from "../suggest";

/** What the cluster needs and what the cloud has: the input of each check. */
export interface Situation {
    needs: CloudRequirements;
    facts: CloudInventory;
}

export type Check = (situation: Situation) => Problem[];

export function known<T>(value: T | undefined): value is T {
    return value !== undefined && !hasUnknown(value);
}

export function allVolumes(needs: CloudRequirements): { volume: VolumeNeed; server?: ServerNeed; boot?: boolean }[] {
    const ofServers = needs.servers.flatMap(server => [
        ...(server.bootVolume === undefined ? [] : [{ volume: server.bootVolume, server, boot: true }]),
        ...(server.volumes ?? []).map(volume => ({ volume, server })),
    ]);
    return [...ofServers, ...(needs.volumes ?? []).map(volume => ({ volume }))];
}

/** All ports that will be created or used, including the virtual address's. */
export function allNetworks(needs: CloudRequirements): NetworkNeed[] {
    return [
        ...needs.servers.flatMap(server => server.networks),
        ...(needs.vip === undefined ? [] : [needs.vip.network]),
    ];
}

export function allFloatingIps(needs: CloudRequirements) {
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

/** Things with this name or id. If an id matches, names do not count. */
export function matching<T extends Named>(things: readonly T[], nameOrId: string): T[] {
    const byId = things.filter(thing => thing.id === nameOrId);
    return byId.length > 0 ? byId : things.filter(thing => thing.name === nameOrId);
}

/** The thing that is meant; undefined if it is unknown, absent or ambiguous. */
export function theOne<T extends Named>(
    things: readonly T[] | undefined,
    reference: Reference | undefined,
): T | undefined {
    if (things === undefined || !known(reference)) return undefined;
    const [first, ...others] = matching(things, reference.name);
    return others.length === 0 ? first : undefined;
}

/** Checks that exactly one such thing exists. `fitting`: the candidates. */
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

/** Whether this cluster owns the thing: its stack made it, or it has the mark of one of the cluster's owners. */
export function isOurs({ facts }: Situation, thing: Tagged): boolean {
    if (facts.stackIds?.includes(thing.id) && isOurStack(facts)) return true;
    return facts.owners.some(owner => hasOwner(thing, owner));
}

/** Whether the thing belongs to the wanted back end: inside the stack, or beside it. */
function isOfBackEnd({ facts: { kept, stackIds = [] } }: Situation, { id }: Named): boolean {
    return kept === undefined || stackIds.includes(id) === (kept === "in the stack");
}

/** Whether this cluster has the thing and keeps it. */
export function isKept(situation: Situation, thing: Tagged): boolean {
    return isOfBackEnd(situation, thing) && isOurs(situation, thing);
}

/** Whether the thing is marked for any cluster. */
function isMarked(thing: Tagged): boolean {
    const tags = thing.tags ?? [];
    return thing.metadata?.[clusterKey] !== undefined || tags.some(tag => tag.startsWith(`${clusterKey}=`));
}

/** For counting: the thing has the right name and no other cluster's mark. */
export function isOursByName(situation: Situation, thing: Tagged, name: string | undefined): boolean {
    if (name === undefined || thing.name !== name || !isOfBackEnd(situation, thing)) return false;
    return isOurs(situation, thing) || !isMarked(thing);
}

/** Whether the stack is ours. One without a mark is ours if the cluster ran before: Heat stores tags a moment later. */
export function isOurStack(facts: CloudInventory): boolean {
    if (facts.stack === undefined) return false;
    const stack = { id: facts.stack.id, tags: facts.stack.tags };
    return facts.owners.some(owner => hasOwner(stack, owner)) || (!isMarked(stack) && facts.owners.length > 1);
}

/** The keys that identify an owner. Users may add and change other metadata. */
const ownerKeys = [clusterKey, pulumiStackKey];

/** The cluster's name must be there. The Pulumi stack may be missing, but must not be another one. */
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

/** The existing server of this node. */
export function serverOf(situation: Situation, need: ServerNeed): Server | undefined {
    return situation.facts.servers?.find(server => server.name === need.name && isKept(situation, server));
}

/** The network and the subnets of a port, if they exist. */
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

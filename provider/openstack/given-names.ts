import { hasUnknown } from "../common/unknown-value";
import { theOne } from "./checks/situation";
import type { CloudInventory } from "./inventory";
import type { CloudRequirements, NetworkNeed, Problem, Reference } from "./requirements";

/**
 * What a cluster uses for its whole life and users may give by name. Images and flavors are left out: only new servers
 * use them.
 */
export type GivenKind = "network" | "subnet" | "router" | "securityGroup";

/**
 * "network:site" → the id that this name had when the cluster first used it. In OpenStack names can move: if a network
 * is renamed and another one gets its name, the ports of existing servers must not move.
 */
export type GivenNames = Record<string, string>;

export function givenKey(kind: GivenKind, name: string): string {
    return `${kind}:${name}`;
}

export function isGivenKey(text: string): boolean {
    return Object.keys(lists).some(kind => text.startsWith(`${kind}:`));
}

export function nameInKey(key: string): string {
    return key.slice(key.indexOf(":") + 1);
}

/** Key for the only subnet of a network. */
export function onlySubnetKey(network: string): string {
    return `only-subnet:${network}`;
}

const lists = {
    network: "networks",
    subnet: "subnets",
    router: "routers",
    securityGroup: "securityGroups",
} as const satisfies Record<GivenKind, keyof CloudInventory>;

/**
 * The id for each name in the needs. An id that was recorded before stays, even if the cloud no longer has it: see
 * goneNames.
 */
export function givenNames(needs: CloudRequirements, facts: CloudInventory, before: GivenNames = {}): GivenNames {
    const names: GivenNames = {};
    const put = (key: string, today: string | undefined) => {
        const id = before[key] ?? today;
        if (id !== undefined) names[key] = id;
    };
    withReferences(needs, (kind, reference) => {
        const things: readonly { id: string; name: string }[] | undefined = facts[lists[kind]];
        put(givenKey(kind, reference.name), theOne(things, reference)?.id);
        return reference;
    });
    for (const { network, subnet } of networksOf(needs)) {
        if (subnet !== undefined || network === undefined || hasUnknown(network)) continue;
        const id = names[givenKey("network", network.name)];
        const subnets = facts.subnets?.filter(each => each.network_id === id);
        put(onlySubnetKey(network.name), subnets?.length === 1 ? subnets[0]!.id : undefined);
    }
    return names;
}

export interface GoneName extends Problem {
    /** The id that the cluster uses. */
    kept: string;
}

/**
 * Ids that the cluster uses and the cloud no longer lists. Something else with that name today must not replace them:
 * the ports of existing servers would move to it.
 */
export function goneNames(names: GivenNames, facts: CloudInventory): GoneName[] {
    return Object.entries(names).flatMap(([key, kept]): GoneName[] => {
        const kind = key.slice(0, key.indexOf(":"));
        const { list, what } = kinds[kind as keyof typeof kinds];
        const things: readonly { id: string; name?: string | null }[] | undefined = facts[list];
        if (things === undefined || things.some(({ id }) => id === kept)) return [];
        const name = nameInKey(key);
        const today = things.filter(each => each.name === name).map(({ id }) => id);
        const named = today.length === 0 ? "" : ` Another one has this name today: ${today.join(", ")}.`;
        return [
            {
                id: `${kind}-gone`,
                path: `${what} "${name}"`,
                message: `this cluster uses ${kept}, which is not in this project any more`,
                hint: `Bring it back, or check that the user may still see it.${named} To use another one, give its id in place of the name.`,
                kept,
            },
        ];
    });
}

const kinds = {
    network: { list: "networks", what: "network" },
    "only-subnet": { list: "subnets", what: "the only subnet of network" },
    subnet: { list: "subnets", what: "subnet" },
    router: { list: "routers", what: "router" },
    securityGroup: { list: "securityGroups", what: "security group" },
} as const;

/**
 * The needs with ids in place of names, so that the checks examine what the cluster uses, whatever its name is today.
 */
export function withIds(needs: CloudRequirements, names: GivenNames): CloudRequirements {
    return withReferences(needs, (kind, reference) => {
        const id = names[givenKey(kind, reference.name)];
        return id === undefined ? reference : { ...reference, name: id };
    });
}

function networksOf(needs: CloudRequirements): NetworkNeed[] {
    return [...needs.servers.flatMap(({ networks }) => networks), ...(needs.vip ? [needs.vip.network] : [])];
}

/** The needs with each known reference of these kinds replaced by what `change` returns. */
function withReferences(
    needs: CloudRequirements,
    change: (kind: GivenKind, reference: Reference) => Reference,
): CloudRequirements {
    const of = (kind: GivenKind) => (reference: Reference) =>
        hasUnknown(reference) ? reference : change(kind, reference);
    const network = <T extends NetworkNeed | undefined>(need: T): T =>
        (need === undefined || hasUnknown(need)
            ? need
            : {
                  ...need,
                  ...(need.network && { network: of("network")(need.network) }),
                  ...(need.subnet && { subnet: of("subnet")(need.subnet) }),
              }) as T;
    return {
        ...needs,
        servers: needs.servers.map(server => ({ ...server, networks: server.networks.map(network) })),
        ...(needs.vip && { vip: { ...needs.vip, network: network(needs.vip.network) } }),
        ...(needs.externalNetwork && { externalNetwork: of("network")(needs.externalNetwork) }),
        ...(needs.routersMade && {
            routersMade: needs.routersMade.map(router => ({
                ...router,
                ...(router.externalNetwork && { externalNetwork: of("network")(router.externalNetwork) }),
            })),
        }),
        ...(needs.routers && { routers: needs.routers.map(of("router")) }),
        ...(needs.securityGroups && { securityGroups: needs.securityGroups.map(of("securityGroup")) }),
    };
}

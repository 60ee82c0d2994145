import type { Quota } from "../cinder";
import type { FloatingIp } from "../neutron";
import type { Problem, VolumeNeed } from "../requirements";
import { freeAddresses, portsToMake } from "./networks";
import {
    allFloatingIps,
    allVolumes,
    type Check,
    isKept,
    isOursByName,
    known,
    type Situation,
    serverOf,
    theOne,
} from "./situation";

/** One resource of a quota: how much will be created, and how much is left. */
interface Demand {
    /** For messages: "vCPUs". */
    what: string;
    more: number;
    quota?: Quota;
}

/** The quota has enough left for what will be created. What this cluster has already does not count again. */
export const quotaSuffices: Check = situation => {
    const { needs } = situation;
    return [...computeDemands(situation), ...networkDemands(situation), ...volumeDemands(situation)].flatMap(
        ({ what, more, quota }): Problem[] => {
            if (quota === undefined || quota.limit < 0 || more <= 0) return [];
            const short = more - (quota.limit - quota.used);
            if (short <= 0) return [];
            return [
                {
                    id: "quota-short",
                    path: `infrastructure.${needs.backEnd}`,
                    message: `quota of ${what}: ${more} more needed, ${quota.used} of ${quota.limit} in use: ${short} short`,
                    hint: "Ask for a larger quota, free some, or make the cluster smaller.",
                },
            ];
        },
    );
};

function computeDemands(situation: Situation): Demand[] {
    const { needs, facts } = situation;
    const limits = facts.quota?.compute ?? {};
    const quota = (limit: string, used: string): Quota | undefined =>
        limits[limit] === undefined || limits[used] === undefined
            ? undefined
            : { limit: limits[limit], used: limits[used] };
    const flavors = needs.servers.map(server => {
        const wanted = theOne(facts.flavors, server.flavor);
        const existing = serverOf(situation, server);
        const had = facts.flavors?.find(
            flavor => flavor.id === existing?.flavor.id || flavor.name === existing?.flavor.original_name,
        );
        if (existing !== undefined && had === undefined) return { instances: 0, vcpus: 0, ram: 0 };
        return {
            instances: existing === undefined ? 1 : 0,
            vcpus: Math.max(0, (wanted?.vcpus ?? 0) - (had?.vcpus ?? 0)),
            ram: Math.max(0, (wanted?.ram ?? 0) - (had?.ram ?? 0)),
        };
    });
    const groups = needs.serverGroupsMade ?? [];
    const newGroups = groups.filter(
        ({ name }) => !facts.serverGroups?.some(group => isOursByName(situation, group, name)),
    );
    const newKeys = (needs.keyPairsMade ?? []).filter(name => !facts.keyPairs?.includes(name));
    const keyPairs =
        limits["maxTotalKeypairs"] === undefined || facts.keyPairs === undefined
            ? undefined
            : { limit: limits["maxTotalKeypairs"], used: facts.keyPairs.length };
    const memberLimit = limits["maxServerGroupMembers"];
    return [
        {
            what: "servers",
            more: sum(flavors.map(each => each.instances)),
            quota: quota("maxTotalInstances", "totalInstancesUsed"),
        },
        { what: "vCPUs", more: sum(flavors.map(each => each.vcpus)), quota: quota("maxTotalCores", "totalCoresUsed") },
        {
            what: "memory (MiB)",
            more: sum(flavors.map(each => each.ram)),
            quota: quota("maxTotalRAMSize", "totalRAMUsed"),
        },
        { what: "server groups", more: newGroups.length, quota: quota("maxServerGroups", "totalServerGroupsUsed") },
        ...groups.map(({ name, members }) => ({
            what: `members of the server group "${name}"`,
            more: members,
            quota: memberLimit === undefined ? undefined : { limit: memberLimit, used: 0 },
        })),
        { what: "key pairs", more: newKeys.length, quota: keyPairs },
    ];
}

function networkDemands(situation: Situation): Demand[] {
    const { needs, facts } = situation;
    const quota = facts.quota?.network ?? {};
    const there = (things: { id: string; name: string; tags?: string[] }[] | undefined, name: string) =>
        things?.find(thing => isOursByName(situation, thing, name));
    const networks = (needs.networksMade ?? []).filter(({ name }) => there(facts.networks, name) === undefined);
    const subnets = (needs.networksMade ?? [])
        .flatMap(network => network.subnets)
        .filter(({ name }) => there(facts.subnets, name) === undefined);
    const routers = (needs.routersMade ?? []).filter(({ name }) => there(facts.routers, name) === undefined);
    const groups = (needs.securityGroupsMade ?? []).map(({ name, rules }) => {
        const group = there(facts.securityGroups, name);
        const has = facts.securityGroups?.find(each => each.id === group?.id)?.security_group_rules?.length ?? 0;
        // Neutron adds two rules of its own: egress for IPv4 and for IPv6.
        return { isNew: group === undefined, rules: Math.max(0, rules + 2 - has) };
    });
    // A network's DHCP server and a router's interfaces use ports of the project, too.
    const ports = portsToMake(situation).length + networks.length + routers.reduce((n, each) => n + each.interfaces, 0);
    return [
        { what: "ports", more: ports, quota: quota["port"] },
        { what: "floating IPs", more: floatingIpsToMake(situation), quota: quota["floatingip"] },
        { what: "networks", more: networks.length, quota: quota["network"] },
        { what: "subnets", more: subnets.length, quota: quota["subnet"] },
        { what: "routers", more: routers.length, quota: quota["router"] },
        { what: "security groups", more: groups.filter(each => each.isNew).length, quota: quota["security_group"] },
        {
            what: "security group rules",
            more: sum(groups.map(each => each.rules)),
            quota: quota["security_group_rule"],
        },
    ];
}

/** Floating IPs have no names. Ours are marked, or lead to our servers. */
function floatingIpsToMake(situation: Situation): number {
    const { needs, facts } = situation;
    const wanted = allFloatingIps(needs).filter(({ address }) => address === undefined);
    const serverIds = new Set(needs.servers.flatMap(server => serverOf(situation, server)?.id ?? []));
    const ownPorts = new Set(
        (facts.ports ?? [])
            .filter(port => serverIds.has(port.device_id) || isOursByName(situation, port, needs.vip?.name))
            .map(port => port.id),
    );
    const isOwn = (ip: FloatingIp) => (ip.port_id !== null && ownPorts.has(ip.port_id)) || isKept(situation, ip);
    return Math.max(0, wanted.length - (facts.floatingIps ?? []).filter(isOwn).length);
}

function volumeDemands(situation: Situation): Demand[] {
    const { needs, facts } = situation;
    const quota = facts.quota?.volume ?? {};
    const missing = allVolumes(needs).map(({ volume, server }) => {
        const size = known(volume.sizeGiB) ? volume.sizeGiB : 0;
        const found = facts.volumes?.find(each => isOursByName(situation, each, volume.name));
        if (found !== undefined) return { volume, isNew: 0, gigabytes: Math.max(0, size - found.size) };
        const stands = volume.name === undefined && server !== undefined && serverOf(situation, server) !== undefined;
        return { volume, isNew: stands ? 0 : 1, gigabytes: stands ? 0 : size };
    });
    const typed = new Map<string, typeof missing>();
    for (const each of missing) {
        const type = typeName(each.volume);
        if (type !== undefined) typed.set(type, [...(typed.get(type) ?? []), each]);
    }
    return [
        { what: "volumes", more: sum(missing.map(each => each.isNew)), quota: quota["volumes"] },
        { what: "volumes' size (GiB)", more: sum(missing.map(each => each.gigabytes)), quota: quota["gigabytes"] },
        ...[...typed].flatMap(([type, some]) => [
            {
                what: `volumes of the type "${type}"`,
                more: sum(some.map(each => each.isNew)),
                quota: quota[`volumes_${type}`],
            },
            {
                what: `size of the type "${type}" (GiB)`,
                more: sum(some.map(each => each.gigabytes)),
                quota: quota[`gigabytes_${type}`],
            },
        ]),
    ];
}

function typeName({ type }: VolumeNeed): string | undefined {
    return known(type) ? type.name : undefined;
}

/** The external network has free addresses. What other projects use is known only if the cloud shows it. */
export const floatingIpsAreFree: Check = situation => {
    const { needs, facts } = situation;
    const network = theOne(facts.networks, needs.externalNetwork);
    const more = floatingIpsToMake(situation);
    if (network === undefined || more === 0) return [];
    const told = facts.availability?.[network.id];
    const pools = (facts.subnets ?? []).filter(subnet => subnet.network_id === network.id && subnet.ip_version === 4);
    const ours = (facts.floatingIps ?? []).filter(ip => ip.floating_network_id === network.id).length;
    const size = pools.length === 0 ? undefined : freeAddresses(pools, []);
    const free = told !== undefined ? told.limit - told.used : size === undefined ? undefined : size - ours;
    if (free === undefined || more <= free) return [];
    return [
        {
            id: "floating-ips-exhausted",
            path: needs.externalNetwork!.path,
            message: `${more} more floating IPs are needed, the external network "${network.name}" has ${Math.max(0, free)} left`,
            hint: "Ask the cloud's operator, or give fewer nodes a floating IP.",
        },
    ];
};

function sum(numbers: number[]): number {
    return numbers.reduce((total, each) => total + each, 0);
}

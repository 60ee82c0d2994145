import { contains, overlap, parseCidr, poolSize } from "../../common/cidr";
import type { Network, Port, Subnet } from "../neutron";
import type { NetworkNeed, Problem, Reference } from "../requirements";
import {
    allFloatingIps,
    allNetworks,
    type Check,
    exists,
    isKept,
    isOursByName,
    known,
    placeOf,
    type Situation,
    serverOf,
    theOne,
} from "./situation";

export const networksExist: Check = ({ needs, facts }) =>
    allNetworks(needs).flatMap(need => [
        ...exists("network", "network", facts.networks, need.network),
        ...exists("subnet", "subnet", facts.subnets, need.subnet),
    ]);

export const networksAreUsable: Check = situation =>
    allNetworks(situation.needs).flatMap((need): Problem[] => {
        const network = theOne(situation.facts.networks, need.network);
        if (network === undefined || !known(need.network)) return [];
        const { path } = need.network;
        const subnet = theOne(situation.facts.subnets, need.subnet);
        if (!network.admin_state_up) {
            const message = `the network "${network.name}" is switched off (admin state down)`;
            return [{ id: "network-down", path, message, hint: `openstack network set --enable ${network.name}` }];
        }
        if (network.subnets.length === 0) {
            const message = `the network "${network.name}" has no subnet: servers in it would get no address`;
            return [{ id: "network-empty", path, message, hint: "Add a subnet, or name another network." }];
        }
        if (subnet !== undefined && subnet.network_id !== network.id) {
            const message = `the subnet "${subnet.name}" is not in the network "${network.name}"`;
            const hint = "Name one of its own, or none if it has only one.";
            return [{ id: "subnet-elsewhere", path: need.subnet!.path, message, hint }];
        }
        return [];
    });

export const portsExist: Check = situation =>
    situation.needs.servers.flatMap(server =>
        server.networks.flatMap(({ port: reference }): Problem[] => {
            const { ports } = situation.facts;
            const unknown = exists("port", "port", ports, reference);
            const port = theOne(ports, reference);
            const holder = port?.device_id ?? "";
            if (port === undefined || holder === "" || holder === serverOf(situation, server)?.id) return unknown;
            const message = `the port "${reference!.name}" is in use by ${port.device_owner} ${holder}`;
            return [{ id: "port-in-use", path: reference!.path, message, hint: "Name a port that is free." }];
        }),
    );

export const securityGroupsExist: Check = ({ needs, facts }) =>
    (needs.securityGroups ?? []).flatMap(group =>
        exists("security-group", "security group", facts.securityGroups, group),
    );

/** Fixed addresses are in the subnet and not in use by others. */
export const addressesAreFree: Check = situation => {
    const { needs, facts } = situation;
    const vip = needs.vip;
    const ports: { need: NetworkNeed; name?: string; address?: string; path: string }[] = [
        ...needs.servers.flatMap(server =>
            server.networks.map(need => ({ need, name: need.portName, address: need.address, path: need.path })),
        ),
        ...(vip === undefined ? [] : [{ need: vip.network, name: vip.name, address: vip.address, path: vip.path }]),
    ];
    return ports.flatMap(({ need, name, address, path }): Problem[] => {
        if (!known(address)) return [];
        const made = needs.networksMade?.find(network => network.name === need.made);
        const { network, subnets } = placeOf(situation, need);
        const cidrs = made?.subnets.map(subnet => subnet.cidr) ?? subnets.map(subnet => subnet.cidr);
        if (cidrs.length > 0 && !cidrs.some(cidr => known(cidr) && contains(parseCidr(cidr)!, address))) {
            const message = `the address ${address} is not in ${cidrs.join(", ")}`;
            return [{ id: "address-outside", path, message, hint: "Give an address of the network." }];
        }
        const holder = facts.ports?.find(
            port =>
                port.network_id === network?.id &&
                port.fixed_ips.some(ip => ip.ip_address === address) &&
                !isKept(situation, port) &&
                !isOursByName(situation, port, name),
        );
        if (holder === undefined) return [];
        const message = `the address ${address} is taken by the port ${holder.name || holder.id}`;
        return [{ id: "address-taken", path, message, hint: "Give another one, or none: Neutron chooses." }];
    });
};

/** Existing networks have enough free addresses for the ports that will be created. */
export const addressesSuffice: Check = situation => {
    const wanted = new Map<string, { network: Network; subnets: Subnet[]; ports: number; path: string }>();
    for (const need of portsToMake(situation)) {
        const { network, subnets } = placeOf(situation, need);
        const pooled = subnets.filter(subnet => subnet.ip_version === 4);
        if (network === undefined || pooled.length === 0 || need.port !== undefined) continue;
        const key = pooled.map(subnet => subnet.id).join();
        const path = need.subnet?.path ?? need.network?.path ?? need.path;
        const before = wanted.get(key) ?? { network, subnets: pooled, ports: 0, path };
        wanted.set(key, { ...before, ports: before.ports + 1 });
    }
    return [...wanted.values()].flatMap(({ network, subnets, ports, path }): Problem[] => {
        const free = freeAddresses(subnets, situation.facts.ports);
        if (free === undefined || ports <= free) return [];
        const names = subnets.map(subnet => `"${subnet.name || subnet.cidr}"`).join(", ");
        const message = `${ports} more addresses are needed in ${names} of the network "${network.name}", ${free} are free`;
        return [{ id: "subnet-full", path, message, hint: "Extend its allocation pools, or use another subnet." }];
    });
};

/** The cloud does not show other projects' ports. In a foreign network this is an upper bound. */
export function freeAddresses(subnets: Subnet[], ports: Port[] | undefined): number | undefined {
    if (ports === undefined) return undefined;
    const pools = subnets.flatMap(subnet => subnet.allocation_pools);
    const size = pools.reduce((sum, pool) => sum + poolSize(pool), 0n);
    const ids = new Set(subnets.map(subnet => subnet.id));
    const used = ports
        .flatMap(port => port.fixed_ips)
        .filter(ip => ids.has(ip.subnet_id))
        .filter(ip =>
            pools.some(
                pool =>
                    poolSize({ start: pool.start, end: ip.ip_address }) > 0n &&
                    poolSize({ start: ip.ip_address, end: pool.end }) > 0n,
            ),
        );
    return Number(size) - used.length;
}

/** Ports that will be created. */
export function portsToMake(situation: Situation): NetworkNeed[] {
    const { needs, facts } = situation;
    const ports = facts.ports ?? [];
    const exists = (name: string | undefined) => ports.some(port => isOursByName(situation, port, name));
    const ofServers = needs.servers.flatMap(server => {
        const wanted = server.networks.filter(need => need.port === undefined && !exists(need.portName));
        const id = serverOf(situation, server)?.id;
        const unnamed = ports.filter(
            port =>
                id !== undefined && port.device_id === id && !server.networks.some(need => need.portName === port.name),
        );
        return wanted.slice(unnamed.length);
    });
    const { vip } = needs;
    const vipIsThere =
        vip === undefined ||
        exists(vip.name) ||
        (known(vip.address) &&
            ports.some(port => isKept(situation, port) && port.fixed_ips.some(ip => ip.ip_address === vip.address)));
    return vipIsThere ? ofServers : [...ofServers, vip.network];
}

/** A floating IP works only if a router connects the network behind it to the external one. */
export const floatingIpsHaveRoute: Check = situation => {
    const { needs, facts } = situation;
    return allFloatingIps(needs).flatMap(({ network: need, pool, path }): Problem[] => {
        const external = theOne(facts.networks, pool ?? needs.externalNetwork);
        if (need === undefined || hasNothingKnown(need)) return [];
        const made = needs.networksMade?.find(network => network.name === need.made);
        if (made !== undefined) {
            if (made.routed) return [];
            const message = `the network "${made.name}" gets no router to an external network: a floating IP could not reach its servers`;
            return [{ id: "network-without-route", path: made.path, message, hint: "Set externalNetwork." }];
        }
        const { network, subnets } = placeOf(situation, need);
        if (network === undefined || external === undefined || facts.ports === undefined) return [];
        const subnetIds = new Set(subnets.map(subnet => subnet.id));
        const routerIds = facts.ports
            .filter(port => port.network_id === network.id && /^network:(ha_)?router/.test(port.device_owner))
            .filter(port => port.fixed_ips.some(ip => subnetIds.has(ip.subnet_id)))
            .map(port => port.device_id);
        // The cloud does not show routers of other projects, so nothing is certain for a network that another project
        // shares.
        const seen = facts.routers?.filter(router => routerIds.includes(router.id)) ?? [];
        const foreign = network.project_id !== facts.projectId || seen.length < new Set(routerIds).size;
        if (seen.some(router => router.external_gateway_info?.network_id === external.id) || foreign) return [];
        const at = need.subnet?.path ?? need.network?.path ?? path;
        const without =
            seen.length === 0
                ? "has no router"
                : `has the router ${seen.map(router => `"${router.name}"`).join(", ")}, which has no gateway to "${external.name}"`;
        return [
            {
                id: "network-without-route",
                path: at,
                message: `the network "${network.name}" ${without}: a floating IP of "${external.name}" could not reach its servers`,
                hint: `openstack router set --external-gateway ${external.name} ROUTER; openstack router add subnet ROUTER SUBNET`,
            },
        ];
    });
};

function hasNothingKnown(need: NetworkNeed): boolean {
    return !known(need.network) && !known(need.subnet) && need.made === undefined;
}

export const externalNetworksFit: Check = ({ needs, facts }) => {
    const references = [
        needs.externalNetwork,
        ...allFloatingIps(needs).map(each => each.pool),
        ...(needs.routersMade ?? []).map(router => router.externalNetwork),
    ].filter((each): each is Reference => each !== undefined);
    return references.flatMap((reference): Problem[] => {
        const external = (facts.networks ?? []).filter(each => each["router:external"]);
        const unknown = exists("external-network", "external network", facts.networks, reference, external);
        const network = theOne(facts.networks, reference);
        if (network === undefined || network["router:external"]) return unknown;
        const names = external.map(each => `"${each.name}"`).join(", ");
        const hint = names === "" ? "This cloud shows no external network." : `External ones are ${names}.`;
        const message = `the network "${network.name}" is not external`;
        return [{ id: "network-not-external", path: reference.path, message, hint }];
    });
};

/**
 * The Pulumi plug-in finds the pool of a floating IP by name only, and fails if two external networks have that name.
 */
export const floatingPoolHasItsOwnName: Check = situation => {
    const { needs, facts } = situation;
    const network = theOne(facts.networks, needs.externalNetwork);
    if (needs.backEnd !== "nova" || network === undefined || allFloatingIps(needs).length === 0) return [];
    const others = (facts.networks ?? []).filter(
        each => each["router:external"] && each.name === network.name && each.id !== network.id,
    );
    if (others.length === 0) return [];
    const isNew = facts.owners.length === 1 || needs.servers.some(server => serverOf(situation, server) === undefined);
    return [
        {
            id: "floating-pool-ambiguous",
            path: needs.externalNetwork!.path,
            message: `${others.length + 1} external networks are called "${network.name}" (${[network, ...others].map(({ id }) => id).join(", ")}), and floating IPs are ordered by this name`,
            hint: "Ask the cloud's operator to rename one, or use infrastructure.heat, which orders them by id.",
            ...(!isNew && { severity: "warning" as const }),
        },
    ];
};

export const floatingIpHasPool: Check = ({ needs }) =>
    allFloatingIps(needs)
        .filter(
            ({ pool, address }) => pool === undefined && address === undefined && needs.externalNetwork === undefined,
        )
        .map(({ path }) => ({
            id: "floating-ip-without-network",
            path,
            message: "a floating IP is wanted, but no external network is named",
            hint: `Set infrastructure.${needs.backEnd}.externalNetwork.`,
        }));

export const routersFit: Check = ({ needs, facts }) =>
    (needs.routers ?? []).flatMap((reference): Problem[] => {
        const unknown = exists("router", "router", facts.routers, reference);
        const router = theOne(facts.routers, reference);
        if (router === undefined || router.external_gateway_info !== null || allFloatingIps(needs).length === 0)
            return unknown;
        const message = `the router "${router.name}" has no gateway to an external network: floating IPs would not work`;
        const hint = `openstack router set --external-gateway NETWORK ${router.name}`;
        return [{ id: "network-without-route", path: reference.path, message, hint }];
    });

/** Neutron refuses a subnet that overlaps with another subnet on the same router. */
export const subnetsFitRouters: Check = situation => {
    const { needs, facts } = situation;
    const routerIds = new Set((needs.routers ?? []).map(router => theOne(facts.routers, router)?.id));
    const joined = new Set(
        (facts.ports ?? [])
            .filter(port => routerIds.has(port.device_id))
            .flatMap(port => port.fixed_ips.map(ip => ip.subnet_id)),
    );
    const there = (facts.subnets ?? []).filter(({ id }) => joined.has(id));
    const made = (needs.networksMade ?? []).flatMap(({ subnets }) => subnets).filter(({ cidr }) => known(cidr));
    return made.flatMap(({ name, cidr, path }): Problem[] => {
        const other = there.find(
            subnet => overlap(parseCidr(cidr)!, parseCidr(subnet.cidr)!) && !isOursByName(situation, subnet, name),
        );
        if (other === undefined) return [];
        const message = `${cidr} overlaps with the subnet "${other.name || other.id}" (${other.cidr}) on the same router`;
        return [{ id: "subnet-overlaps", path, message, hint: "Choose another range, or leave the router to us." }];
    });
};

/** The ranges of nodes, pods and services do not overlap. */
export const cidrsAreApart: Check = situation => {
    const { needs } = situation;
    const made = (needs.networksMade ?? []).flatMap(network =>
        network.subnets.map(subnet => ({ cidr: subnet.cidr, name: `the subnet "${subnet.name}"` })),
    );
    const given = allNetworks(needs).flatMap(need =>
        placeOf(situation, need).subnets.map(subnet => ({
            cidr: subnet.cidr,
            name: `the subnet "${subnet.name || subnet.id}"`,
        })),
    );
    const clusterNets = [
        { reference: needs.podCidr, what: "pods' network" },
        { reference: needs.serviceCidr, what: "services' network" },
    ];
    return clusterNets.flatMap(({ reference, what }) => {
        if (!known(reference)) return [];
        // Dual stack: "10.244.0.0/16,fd00::/56".
        const ranges = reference.name.split(",").flatMap(cidr => parseCidr(cidr.trim()) ?? []);
        return [...made, ...given]
            .filter(({ cidr }) => known(cidr))
            .filter(({ cidr }) => ranges.some(range => overlap(range, parseCidr(cidr) ?? range)))
            .map(({ cidr, name }) => ({
                id: "cidr-overlap",
                path: reference.path,
                message: `the ${what} ${reference.name} overlaps with ${name} (${cidr})`,
                hint: "Choose ranges that do not meet.",
            }));
    });
};

import type { CloudInventory } from "../../../../provider/openstack/inventory";
import type { CloudRequirements, ServerNeed } from "../../../../provider/openstack/requirements";
import type { FakeCloud } from "./fake-cloud";

export const gib = 1024 ** 3;
export const owner = { "pulumi-nfv.cluster": "core", "pulumi-nfv.stack": "project/dev" };
export const tags = ["pulumi-nfv.cluster=core", "pulumi-nfv.stack=project/dev"];

const ref = (name: string, path: string) => ({ name, path });

function server(name: string, role: ServerNeed["role"]): ServerNeed {
    const group = role === "controlPlane" ? "controlPlane" : "pools.workers";
    return {
        name: `core-${name}`,
        role,
        flavor: ref("m1.medium", `${group}.flavor`),
        image: ref("debian-12", "infrastructure.nova.image"),
        zone: ref("nova", `${group}.server.availabilityZones`),
        volumes: [
            { name: `core-${name}-data`, sizeGiB: 10, type: ref("ssd", "volumes.data.type"), path: "volumes.data" },
        ],
        networks: [{ portName: `core-${name}`, network: ref("lan", "network.network"), path: "network" }],
        floatingIp: { path: "access.floatingIps" },
    };
}

/** Two servers in an existing network "lan", with everything that a cluster can need. */
export function sampleRequirements(): CloudRequirements {
    return {
        backEnd: "nova",
        clusterName: "core",
        owner,
        servers: [server("control-plane-1", "controlPlane"), server("workers-1", "worker")],
        externalNetwork: ref("public", "externalNetwork"),
        floatingIps: [{ path: "access.apiFloatingIp" }],
        vip: { name: "core-vip", network: { network: ref("lan", "network.network"), path: "network" }, path: "vip" },
        keyPair: ref("ops", "keyPair"),
        keyPairsMade: ["core"],
        securityGroups: [ref("default", "securityGroups.0")],
        securityGroupsMade: [{ name: "core", rules: 6 }],
        serverGroupsMade: [{ name: "core-cp", policy: "soft-anti-affinity", members: 1, path: "serverGroup" }],
        networksMade: [
            {
                name: "san",
                subnets: [{ name: "sub", cidr: "10.30.0.0/24", path: "sub.cidr" }],
                routed: true,
                path: "sub",
            },
        ],
        routers: [ref("r1", "network.router")],
        routersMade: [
            { name: "core", externalNetwork: ref("public", "externalNetwork"), interfaces: 1, path: "network" },
        ],
        podCidr: ref("10.244.0.0/16", "network.podCidr"),
        serviceCidr: ref("10.96.0.0/16", "network.serviceCidr"),
    };
}

/** A cloud that has all of it, with exactly enough quota. */
export function sampleInventory(): CloudInventory {
    const quota = (more: number) => ({ limit: 5 + more, used: 5 });
    return {
        projectId: "p1",
        services: ["compute", "network", "image", "block-storage", "orchestration"],
        computeVersion: "2.93",
        flavors: [
            { id: "1", name: "m1.tiny", vcpus: 1, ram: 512, disk: 1 },
            { id: "3", name: "m1.medium", vcpus: 2, ram: 4096, disk: 20 },
        ],
        images: {
            "debian-12": [
                {
                    id: "i1",
                    name: "debian-12",
                    status: "active",
                    min_disk: 2,
                    min_ram: 1024,
                    size: 3 * gib,
                    disk_format: "raw",
                },
            ],
        },
        keyPairs: ["ops"],
        zones: { compute: ["nova"], volume: ["nova"] },
        servers: [],
        serverGroups: [],
        networks: [
            { id: "n1", name: "lan", project_id: "p1", subnets: ["s1"], admin_state_up: true },
            {
                id: "n2",
                name: "public",
                project_id: "admin",
                subnets: ["s2"],
                admin_state_up: true,
                "router:external": true,
            },
        ],
        subnets: [
            subnet("s1", "n1", "10.20.0.0/24", "10.20.0.10", "10.20.0.14"),
            subnet("s2", "n2", "172.24.4.0/24", "172.24.4.100", "172.24.4.102"),
        ],
        routers: [{ id: "r1", name: "r1", external_gateway_info: { network_id: "n2" } }],
        ports: [
            port("router", "n1", "s1", "10.20.0.1", "network:router_interface", "r1"),
            port("dhcp", "n1", "s1", "10.20.0.10", "network:dhcp", "dhcp1"),
            port("somebody", "n1", "s1", "10.20.0.11", "compute:nova", "other"),
        ],
        floatingIps: [],
        securityGroups: [{ id: "g1", name: "default", security_group_rules: [] }],
        availability: {},
        volumes: [],
        volumeTypes: ["ssd"],
        quota: {
            compute: {
                ...limits("Instances", "totalInstancesUsed", 2),
                ...limits("Cores", "totalCoresUsed", 4),
                ...limits("RAMSize", "totalRAMUsed", 8192),
                maxServerGroups: 6,
                totalServerGroupsUsed: 5,
                maxServerGroupMembers: 1,
                maxTotalKeypairs: 2,
            },
            network: {
                port: quota(2 + 1 + 1 + 1),
                floatingip: quota(3),
                network: quota(1),
                subnet: quota(1),
                router: quota(1),
                security_group: quota(1),
                security_group_rule: quota(8),
            },
            volume: { volumes: quota(2), gigabytes: quota(20), volumes_ssd: quota(2), gigabytes_ssd: quota(20) },
        },
        owners: [owner],
        unasked: [],
    };
}

function limits(what: string, used: string, more: number) {
    return { [`maxTotal${what}`]: 5 + more, [used]: 5 };
}

function subnet(id: string, network_id: string, cidr: string, start: string, end: string) {
    const common = { ip_version: 4, gateway_ip: null, enable_dhcp: true };
    return { id, name: `${id}-name`, network_id, cidr, allocation_pools: [{ start, end }], ...common };
}

export function port(
    name: string,
    network_id: string,
    subnet_id: string,
    ip_address: string,
    device_owner = "",
    device_id = "",
) {
    return { id: `port-${name}`, name, network_id, device_id, device_owner, fixed_ips: [{ subnet_id, ip_address }] };
}

/** Serves the sample's facts through APIs. */
export function serve(cloud: FakeCloud, facts = sampleInventory()): void {
    const images = facts.images!["debian-12"]!;
    const availabilityZoneInfo = [{ zoneName: "nova", zoneState: { available: true } }];
    const details = Object.entries(facts.quota!.network!).map(([name, quota]) => [name, { ...quota, reserved: 0 }]);
    const volume = Object.entries(facts.quota!.volume!).map(([name, q]) => [name, { limit: q.limit, in_use: q.used }]);
    cloud.routes = {
        "GET /compute/": { version: { version: facts.computeVersion } },
        "GET /compute/flavors/detail": { flavors: facts.flavors },
        "GET /compute/servers/detail": { servers: [] },
        "GET /compute/os-server-groups": { server_groups: [] },
        "GET /compute/os-keypairs": { keypairs: [{ keypair: { name: "ops" } }] },
        "GET /compute/limits": { limits: { absolute: facts.quota!.compute } },
        "GET /compute/os-availability-zone": { availabilityZoneInfo },
        "GET /image/v2/images": call => ({
            body: { images: call.query.get("name") === null || call.query.get("name") === "debian-12" ? images : [] },
        }),
        "GET /network/v2.0/networks": { networks: facts.networks },
        "GET /network/v2.0/subnets": { subnets: facts.subnets },
        "GET /network/v2.0/routers": { routers: facts.routers },
        "GET /network/v2.0/ports": { ports: facts.ports },
        "GET /network/v2.0/floatingips": { floatingips: [] },
        "GET /network/v2.0/security-groups": { security_groups: facts.securityGroups },
        "GET /network/v2.0/quotas/p1/details.json": { quota: Object.fromEntries(details) },
        "GET /network/v2.0/network-ip-availabilities/n2": () => ({ status: 403 }),
        "GET /block-storage/volumes/detail": { volumes: [] },
        "GET /block-storage/types": { volume_types: [{ id: "t", name: "ssd" }] },
        "GET /block-storage/os-quota-sets/p1": { quota_set: { id: "p1", ...Object.fromEntries(volume) } },
    };
}

import { hasUnknown } from "../common/unknown-value";
import type { ServiceName } from "./auth";
import {
    listSnapshots,
    listVolumes,
    listVolumeTypes,
    type Quota,
    type Snapshot,
    type Volume,
    volumeQuota,
    volumeZones,
} from "./cinder";
import { type CloudClient, CloudRefused } from "./client";
import { findImages, type Image, imageNames } from "./glance";
import { getStack, type Stack, stackResources } from "./heat";
import * as neutron from "./neutron";
import * as nova from "./nova";
import type { BackEnd, CloudRequirements, Owner, Reference } from "./requirements";

/** The cloud's answers. Undefined: not requested, or the cloud does not say; checks that need it are skipped. */
export interface CloudInventory {
    projectId: string;
    /** The current user. */
    user?: CloudUser;
    /** The user of the first run, who owns the key pair and the application credential. */
    maker?: CloudUser;
    /** Services in the catalogue. */
    services: ServiceName[];
    /** Newest microversion of Nova. */
    computeVersion?: string;
    flavors?: nova.Flavor[];
    /** By the name or id that was requested. */
    images?: Record<string, Image[]>;
    /** For suggestions; requested only if an image is not found. */
    imageNames?: string[];
    keyPairs?: string[];
    zones?: { compute?: string[]; volume?: string[] };
    servers?: nova.Server[];
    serverGroups?: nova.ServerGroup[];
    networks?: neutron.Network[];
    subnets?: neutron.Subnet[];
    routers?: neutron.Router[];
    ports?: neutron.Port[];
    floatingIps?: neutron.FloatingIp[];
    securityGroups?: neutron.SecurityGroup[];
    /** Free addresses of external networks, by id, if the cloud shows them. */
    availability?: Record<string, Quota>;
    volumes?: Volume[];
    volumeTypes?: string[];
    snapshots?: Snapshot[];
    quota?: {
        compute?: nova.ComputeLimits;
        network?: Record<string, Quota>;
        volume?: Record<string, Quota>;
    };
    /** The stack with the wanted name, if it exists. */
    stack?: Stack;
    /** Ids of what the cluster's own stack created. */
    stackIds?: string[];
    /** Owners whose things count as this cluster's: the current one and former ones. */
    owners: Owner[];
    /**
     * Set while the cluster moves to another back end: which of the cluster's things the new one keeps. All others are
     * deleted, at the end.
     */
    kept?: "in the stack" | "beside the stack";
    /** What could not be requested, and why. */
    unasked: string[];
}

export interface CloudUser {
    id: string;
    name: string;
}

/** The cluster's former back end, stack and user. */
export interface Former {
    backEnd: BackEnd;
    owner: Owner;
    /** Name of its stack. */
    stack?: string;
    /** The user of the first run. */
    user?: CloudUser;
}

/** Requests everything that the checks of these needs use, in parallel. */
export async function fetchInventory(
    cloud: CloudClient,
    needs: CloudRequirements,
    former?: Former,
): Promise<CloudInventory> {
    const { project, userId, userName } = await cloud.session();
    const unasked: string[] = [];
    const services = await servicesOf(cloud);
    const ask = asking(services, unasked);
    const wants = wishes(needs);
    const moves = former !== undefined && former.backEnd !== needs.backEnd;
    const stackName = needs.stack === undefined ? (moves ? former.stack : undefined) : needs.stack.name;
    const networks = ask("network", "networks", true, () => neutron.listNetworks(cloud));
    const { computeZones, volumeZoneNames, computeLimits, networkQuota, volumeQuotas, stack, ...found } =
        await together({
            computeVersion: ask("compute", "API version", wants.serverGroups, () => nova.computeVersion(cloud)),
            flavors: ask("compute", "flavors", true, () => nova.listFlavors(cloud)),
            images: ask("image", "images", wants.images.length > 0, () => imagesOf(cloud, wants.images)),
            keyPairs: ask("compute", "key pairs", wants.keyPairs, () => nova.listKeyPairs(cloud)),
            computeZones: ask("compute", "zones", wants.zones, () => nova.computeZones(cloud)),
            volumeZoneNames: ask("block-storage", "volume zones", wants.volumeZones, () => volumeZones(cloud)),
            servers: ask("compute", "servers", true, () => nova.listServers(cloud)),
            serverGroups: ask("compute", "server groups", wants.serverGroups, () => nova.listServerGroups(cloud)),
            networks,
            subnets: ask("network", "subnets", true, () => neutron.listSubnets(cloud)),
            routers: ask("network", "routers", true, () => neutron.listRouters(cloud)),
            ports: ask("network", "ports", true, () => neutron.listPorts(cloud)),
            floatingIps: ask("network", "floating IPs", wants.floatingIps, () => neutron.listFloatingIps(cloud)),
            securityGroups: ask("network", "security groups", true, () => neutron.listSecurityGroups(cloud)),
            availability: ask("network", "addresses of the external network", wants.floatingIps, async () =>
                availabilityOf(cloud, (await networks) ?? [], wants.pools),
            ),
            volumes: ask("block-storage", "volumes", wants.volumes || wants.givenVolumes, () => listVolumes(cloud)),
            volumeTypes: ask("block-storage", "volume types", wants.volumeTypes, async () =>
                (await listVolumeTypes(cloud)).map(({ name }) => name),
            ),
            snapshots: ask("block-storage", "snapshots", wants.snapshots, () => listSnapshots(cloud)),
            computeLimits: ask("compute", "quota of compute", true, () => nova.computeLimits(cloud)),
            networkQuota: ask("network", "quota of networks", true, () => neutron.networkQuota(cloud)),
            volumeQuotas: ask("block-storage", "quota of volumes", wants.volumes, () => volumeQuota(cloud)),
            stack: ask("orchestration", "stack", stackName !== undefined && !hasUnknown(stackName), () =>
                stackOf(cloud, stackName!),
            ),
        });
    const facts: CloudInventory = {
        ...found,
        ...stack,
        projectId: project?.id ?? "",
        ...(userId !== "" && { user: { id: userId, name: userName } }),
        ...(former?.user && { maker: former.user }),
        services,
        zones: { compute: computeZones, volume: volumeZoneNames },
        quota: { compute: computeLimits, network: networkQuota, volume: volumeQuotas },
        owners: [needs.owner, ...(former === undefined ? [] : [former.owner])],
        ...(moves && { kept: needs.backEnd === "heat" ? "in the stack" : "beside the stack" }),
        unasked,
    };
    const missing = Object.values(facts.images ?? {}).some(found => found.length === 0);
    return missing ? { ...facts, imageNames: await ask("image", "images", true, () => imageNames(cloud)) } : facts;
}

const allServices = ["compute", "network", "image", "block-storage", "orchestration", "load-balancer"] as const;

async function servicesOf(cloud: CloudClient): Promise<ServiceName[]> {
    const services: ServiceName[] = [];
    for (const service of allServices) if (await cloud.has(service)) services.push(service);
    return services;
}

/**
 * If the user may not see something, or a service is absent, its checks are skipped, and `unasked` says so. If the cloud does not answer,
 * everything fails.
 */
function asking(services: readonly ServiceName[], unasked: string[]) {
    return async <T>(
        service: ServiceName,
        what: string,
        when: boolean,
        question: () => Promise<T>,
    ): Promise<T | undefined> => {
        if (!when || !services.includes(service)) return undefined;
        try {
            return await question();
        } catch (error) {
            if (!(error instanceof CloudRefused) || error.code !== "CLOUD_REFUSED") throw error;
            unasked.push(`${what}: ${error.reason}`);
            return undefined;
        }
    };
}

/** What must be requested. */
function wishes(needs: CloudRequirements) {
    const { servers } = needs;
    const volumes = [
        ...servers.flatMap(server => [server.bootVolume ?? [], server.volumes ?? []].flat()),
        ...(needs.volumes ?? []),
    ];
    const named = (references: (Reference | undefined)[]) => [
        ...new Set(references.flatMap(each => (each === undefined || hasUnknown(each) ? [] : each.name))),
    ];
    const floating = [...servers.flatMap(server => server.floatingIp ?? []), ...(needs.floatingIps ?? [])];
    return {
        images: named(servers.map(server => server.image)),
        keyPairs: needs.keyPair !== undefined || (needs.keyPairsMade ?? []).length > 0,
        zones: servers.some(server => server.zone !== undefined),
        volumeZones: volumes.some(volume => volume.zone !== undefined),
        serverGroups: (needs.serverGroupsMade ?? []).length > 0,
        floatingIps: floating.length > 0,
        pools: named([needs.externalNetwork, ...floating.map(each => each.pool)]),
        volumes: volumes.length > 0,
        givenVolumes: servers.some(({ givenVolumes = [] }) => givenVolumes.length > 0),
        volumeTypes: volumes.some(volume => volume.type !== undefined),
        snapshots: volumes.some(volume => volume.snapshot !== undefined),
    };
}

async function imagesOf(cloud: CloudClient, names: string[]): Promise<Record<string, Image[]>> {
    return Object.fromEntries(
        await Promise.all(names.map(async name => [name, await findImages(cloud, name)] as const)),
    );
}

async function availabilityOf(
    cloud: CloudClient,
    networks: neutron.Network[],
    pools: string[],
): Promise<Record<string, Quota>> {
    const wanted = networks.filter(({ id, name }) => pools.includes(id) || pools.includes(name));
    const found = await Promise.all(
        wanted.map(async ({ id }) => [id, await neutron.networkAvailability(cloud, id)] as const),
    );
    return Object.fromEntries(found.filter((entry): entry is [string, Quota] => entry[1] !== undefined));
}

async function stackOf(cloud: CloudClient, name: string): Promise<Pick<CloudInventory, "stack" | "stackIds">> {
    const stack = await getStack(cloud, name);
    if (stack === undefined) return {};
    const resources = await stackResources(cloud, stack);
    return { stack, stackIds: resources.map(resource => resource.physical_resource_id).filter(id => id !== "") };
}

/** In parallel; the first failure fails all. */
async function together<T extends Record<string, Promise<unknown>>>(
    questions: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
    const answers = await Promise.all(Object.values(questions));
    return Object.fromEntries(Object.keys(questions).map((name, i) => [name, answers[i]])) as {
        [K in keyof T]: Awaited<T[K]>;
    };
}

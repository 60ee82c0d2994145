import { createHash } from "node:crypto";

/** What creates the servers. */
export type BackEnd = "heat" | "nova";

/**
 * What a cluster needs of a cloud, as plain data. The planner of servers builds it, facts.ts requests the matching
 * parts of the cloud, and checks.ts compares the two. Any part may be unknown at preview; checks that need it are then
 * skipped.
 */
export interface CloudRequirements {
    backEnd: BackEnd;
    clusterName: string;
    /**
     * Written as metadata on servers and volumes, and as tags "key=value" on networks, ports, … and stacks (see
     * ownerTags).
     */
    owner: Owner;
    /** All wanted machines, including jump hosts and storage servers. */
    servers: ServerNeed[];
    /** Volumes that belong to no server. */
    volumes?: VolumeNeed[];
    /** The stack, with `backEnd: "heat"`. */
    stack?: { name: string; path: string };
    /** With Heat: the user supplies the template, with its own names. */
    ownTemplate?: boolean;
    /** Network for floating IPs. Required if there is any. */
    externalNetwork?: Reference;
    /** Floating IPs in addition to those of servers: for the API, for a load balancer. */
    floatingIps?: FloatingIpNeed[];
    /** The virtual address of the API, which has a port of its own. */
    vip?: { name?: string; address?: string; network: NetworkNeed; path: string };
    /** An existing key pair. */
    keyPair?: Reference;
    /** Names of key pairs to create. */
    keyPairsMade?: string[];
    /** Whether an application credential is created for the cloud provider. */
    credentialMade?: boolean;
    /** Existing security groups. */
    securityGroups?: Reference[];
    /** Security groups to create; `rules` excludes the two that Neutron adds itself. */
    securityGroupsMade?: { name: string; rules: number }[];
    serverGroupsMade?: { name: string; policy: string; members: number; path: string }[];
    networksMade?: NetworkMade[];
    /** Existing routers that get an interface in a network to create. */
    routers?: Reference[];
    routersMade?: RouterMade[];
    /** These ranges must not overlap with the networks of the nodes. */
    podCidr?: Reference;
    serviceCidr?: Reference;
}

/** Marks the owner of a thing: `pulumi-nfv.cluster`, `pulumi-nfv.stack`, … */
export type Owner = Record<string, string>;

/** On volumes of a storage server, and on their snapshots: the volume's name in the program. */
export const volumeKey = "pulumi-nfv.volume";

/** On snapshots: the id of the cluster, which no other cluster of this name has. */
export const clusterIdKey = "pulumi-nfv.cluster-id";

/** On snapshots: the name of the entry in the program. */
export const snapshotKey = "pulumi-nfv.snapshot";

/** On snapshots: the word `run` of the entry. */
export const runKey = "pulumi-nfv.run";

/** On snapshots: the id of the volume. */
export const volumeIdKey = "pulumi-nfv.volume-id";

/** Key of the cluster's name in Owner. */
export const clusterKey = "pulumi-nfv.cluster";

/** Key of the Pulumi program in Owner: "project:stack". */
export const pulumiStackKey = "pulumi-nfv.stack";

/** The name or id of something, and its path in the user's inputs: "pools.workers.flavor". */
export interface Reference {
    name: string;
    path: string;
}

export interface ServerNeed {
    /** Name of the server and of the node. */
    name: string;
    /** Control-plane nodes have higher requirements. */
    role: "controlPlane" | "worker" | "other";
    /** Its server is replaced in this run: what it is made from must be there. */
    replaced?: true;
    /** It serves volumes, and is beside the stack with every back end. */
    isStorage?: true;
    flavor: Reference;
    /** Undefined if it boots from an existing volume or snapshot. */
    image?: Reference;
    zone?: Reference;
    /** The root disk is a volume made from the image. Undefined: it is the flavor's disk. */
    bootVolume?: VolumeNeed;
    volumes?: VolumeNeed[];
    /** Existing volumes that are attached to it. */
    givenVolumes?: GivenVolumeNeed[];
    /** One port each, in order. */
    networks: NetworkNeed[];
    floatingIp?: FloatingIpNeed;
}

export interface VolumeNeed {
    name?: string;
    sizeGiB: number;
    type?: Reference;
    zone?: Reference;
    /** Id of the snapshot from which it is made. */
    snapshot?: Reference;
    /** Path in the inputs. */
    path: string;
}

export interface GivenVolumeNeed {
    /** Its id; names are not looked for. */
    id: Reference;
    /** At least. */
    sizeGiB?: number;
    /** Path in the inputs. */
    path: string;
}

/** One port: in an existing network, in one of `networksMade`, or an existing port. */
export interface NetworkNeed {
    /** Name of the port to create. */
    portName?: string;
    network?: Reference;
    subnet?: Reference;
    /** Name in `networksMade`. */
    made?: string;
    /** An existing port. */
    port?: Reference;
    /** A fixed address. */
    address?: string;
    /** Path in the inputs. */
    path: string;
}

export interface FloatingIpNeed {
    name?: string;
    /** An existing address of the project. Undefined: a new one. */
    address?: string;
    /**
     * Network of the port behind the address; it must have a route to the external one. @default the server's first
     * network
     */
    network?: NetworkNeed;
    /** @default `externalNetwork` of the CloudRequirements */
    pool?: Reference;
    path: string;
}

export interface NetworkMade {
    name: string;
    subnets: { name: string; cidr: string; path: string }[];
    /** Whether a router connects it, or will connect it, to the external network. */
    routed: boolean;
    path: string;
}

export interface RouterMade {
    name: string;
    externalNetwork?: Reference;
    /** Each interface uses one port. A gateway uses another one, which does not count for the project. */
    interfaces: number;
    path: string;
}

/** The owner as tags for Neutron and Heat. */
export function ownerTags(owner: Owner): string[] {
    return Object.entries(owner).map(([key, value]) => `${key}=${value}`);
}

/**
 * Key of a stack's tag (with Nova, of a server's metadata) that holds the owner key, which only the state of its
 * creator has.
 */
export const ownerTag = "pulumi-nfv.owner";

/** Key of a stack's tag that holds the hash of the stack that Heat was last asked for. */
export const hashTag = "pulumi-nfv.hash";

/**
 * The whole mark (cluster, program and owner key) as one word for a description. The plug-in sets tags with a second
 * request, seconds after it created the floating IP or port; the description is in the first request. Neutron allows
 * 255 characters there.
 */
export function markWord(mark: Owner): string {
    const text = JSON.stringify(Object.entries(mark).sort(([a], [b]) => (a < b ? -1 : 1)));
    return `pulumi-nfv.mark=${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** One problem, in terms of the user's inputs. */
export interface Problem {
    /** Stable name of the check: "flavor-unknown". */
    id: string;
    /** Path in the inputs: "pools.workers.flavor". */
    path: string;
    message: string;
    hint?: string;
    /** A warning is shown and stops nothing. @default "error" */
    severity?: "error" | "warning";
}

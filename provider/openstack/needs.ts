import { createHash } from "node:crypto";

/** What makes the servers. */
export type BackEnd = "heat" | "nova";

/**
 * What a cluster needs of a cloud, as plain data: the planner of servers makes it, facts.ts asks the cloud for what it is about, and
 * checks.ts compares the two. Anything in it may be unknown at preview; checks that need it are then left out.
 */
export interface CloudNeeds {
    backEnd: BackEnd;
    clusterName: string;
    /** Metadata of servers and volumes; on networks, ports, … and stacks it stands as tags "key=value" (see ownerTags). */
    owner: Owner;
    /** All machines that shall exist, also jump hosts and storage servers. */
    servers: ServerNeed[];
    /** Volumes that belong to no server. */
    volumes?: VolumeNeed[];
    /** The stack, with `backEnd: "heat"`. */
    stack?: { name: string; path: string };
    /** With Heat: the template is the user's, with names of its own. */
    ownTemplate?: boolean;
    /** Network from which floating IPs come. Needed as soon as one is wanted. */
    externalNetwork?: Reference;
    /** Floating IPs beside those of servers: the API's, a load balancer's. */
    floatingIps?: FloatingIpNeed[];
    /** The virtual address of the API: a port of its own. */
    vip?: { name?: string; address?: string; network: NetworkNeed; path: string };
    /** A key pair that exists already. */
    keyPair?: Reference;
    /** Names of key pairs that are made. */
    keyPairsMade?: string[];
    /** An application credential is made, for the cloud provider. */
    credentialMade?: boolean;
    /** Security groups that exist already. */
    securityGroups?: Reference[];
    /** Security groups that are made; `rules` counts ours, without the two that Neutron adds by itself. */
    securityGroupsMade?: { name: string; rules: number }[];
    serverGroupsMade?: { name: string; policy: string; members: number; path: string }[];
    networksMade?: NetworkMade[];
    /** Routers that exist and get an interface in a network that is made. */
    routers?: Reference[];
    routersMade?: RouterMade[];
    /** What must not overlap with the networks of the nodes. */
    podCidr?: Reference;
    serviceCidr?: Reference;
}

/** Owner of what is made: `pulumi-nfv.cluster`, `pulumi-nfv.stack`, … */
export type Owner = Record<string, string>;

/** Key of the cluster's name in Owner. */
export const clusterKey = "pulumi-nfv.cluster";

/** Key of the Pulumi program in Owner: "project:stack". */
export const pulumiStackKey = "pulumi-nfv.stack";

/** The name or id of something, and the place in the user's inputs that names it: "pools.workers.flavor". */
export interface Reference {
    name: string;
    path: string;
}

export interface ServerNeed {
    /** Of the server, which is the name of the node. */
    name: string;
    /** What runs on it: masters need more than others. */
    role: "controlPlane" | "worker" | "other";
    flavor: Reference;
    /** Undefined: it boots from a volume or snapshot that exists. */
    image?: Reference;
    zone?: Reference;
    /** The root disk is a volume made from the image. Undefined: the flavor's own disk. */
    bootVolume?: VolumeNeed;
    volumes?: VolumeNeed[];
    /** One port each, in order. */
    networks: NetworkNeed[];
    floatingIp?: FloatingIpNeed;
}

export interface VolumeNeed {
    name?: string;
    sizeGiB: number;
    type?: Reference;
    zone?: Reference;
    /** Place in the inputs. */
    path: string;
}

/** One port: in a network that exists, in one of `networksMade`, or a port that exists. */
export interface NetworkNeed {
    /** Of the port that is made. */
    portName?: string;
    network?: Reference;
    subnet?: Reference;
    /** Name in `networksMade`. */
    made?: string;
    /** A port that exists. */
    port?: Reference;
    /** A fixed address. */
    address?: string;
    /** Place in the inputs. */
    path: string;
}

export interface FloatingIpNeed {
    name?: string;
    /** An address that exists in the project and is used. Undefined: a new one. */
    address?: string;
    /** Where the address leads to: this network must have a route to the external one. @default the server's first network */
    network?: NetworkNeed;
    /** @default `externalNetwork` of the whole */
    pool?: Reference;
    path: string;
}

export interface NetworkMade {
    name: string;
    subnets: { name: string; cidr: string; path: string }[];
    /** There is, or is made, a router from it to the external network. */
    routed: boolean;
    path: string;
}

export interface RouterMade {
    name: string;
    externalNetwork?: Reference;
    /** Interfaces take one port each; a gateway takes one more, which is not the project's. */
    interfaces: number;
    path: string;
}

/** The owner as Neutron's and Heat's tags. */
export function ownerTags(owner: Owner): string[] {
    return Object.entries(owner).map(([key, value]) => `${key}=${value}`);
}

/** Key of a stack's tag, and with Nova of a server's metadata: of the key that only the state has that made it. */
export const ownerTag = "pulumi-nfv.owner";

/**
 * The whole mark, cluster, program and key together, as a word in a description. The plug-in sets tags in a second request, seconds after
 * the one that makes a floating IP or port; the description is in the first. Neutron takes 255 characters there.
 */
export function markWord(mark: Owner): string {
    const text = JSON.stringify(Object.entries(mark).sort(([a], [b]) => (a < b ? -1 : 1)));
    return `pulumi-nfv.mark=${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** One thing that is wrong, in words of the user's inputs. */
export interface Problem {
    /** Stable name of the check: "flavor-unknown". */
    id: string;
    /** Place in the inputs: "pools.workers.flavor". */
    path: string;
    message: string;
    hint?: string;
    /** A warning is shown and does not stop anything. @default "error" */
    severity?: "error" | "warning";
}

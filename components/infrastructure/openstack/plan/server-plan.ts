import type { Role } from "../../../../provider/common/model";

/**
 * What a cluster needs from an OpenStack cloud: both back ends (Heat, Nova) and the checks work from this description.
 * Plain data, no outputs: all of it is known at preview. Names are those that the cloud shows.
 */
export interface ServerPlan {
    clusterName: string;
    /** Owner, on everything that can have tags or metadata: `pulumi-nfv.cluster`, `pulumi-nfv.stack`. */
    metadata: Record<string, string>;
    network: MadeNetwork | GivenNetwork;
    /** Name or id of the external network for the router and floating IPs. */
    externalNetwork?: string;
    /** Created, for all ports with port security. */
    securityGroup: { name: string; rules: SecurityGroupRule[] };
    /** Created, one for each group. */
    serverGroups: { key: string; name: string; policy: string }[];
    /** Created, with the cluster's public key, or existing. */
    keyPair: { name: string; made: boolean };
    /** The API's virtual address: a port without a server. */
    vip?: VipPlan;
    jumpServer?: JumpPlan;
    /** Serves the cluster's volumes. */
    storage?: StorageServerPlan;
    /** Control-plane nodes first, then pool by pool, by number. */
    servers: ServerPlanEntry[];
    deleteProtection: boolean;
}

export interface MadeNetwork {
    made: true;
    name: string;
    subnetName: string;
    cidr: string;
    dnsServers: string[];
    mtu?: number;
    /** Existing router to attach to (name or id), or the name of the created one. */
    router: { existing: string } | { name: string };
}

export interface GivenNetwork {
    made: false;
    /** Name or id. */
    network: string;
    subnet?: string;
}

/** In Neutron's terms; all rules are ingress. */
export interface SecurityGroupRule {
    /** Key of the Pulumi resource and in the template: "ssh-1". */
    key: string;
    /** `tcp`, `udp`, `icmp`, `112` … ; undefined: any. */
    protocol?: string;
    ports?: { from: number; to: number };
    /** Source; `group`: members of the security group itself. */
    from: { cidr: string } | { group: true };
}

export interface VipPlan {
    portName: string;
    /** Required address; by default Neutron chooses. */
    address?: string;
    floatingIp: boolean;
}

export interface JumpPlan {
    /** Name of the server and of its port. */
    name: string;
    flavor: string;
    image: string;
    metadata: Record<string, string>;
    /** Security group of its port, in addition to the cluster's: the only one that allows SSH from outside. */
    securityGroup: { name: string; rules: SecurityGroupRule[] };
}

/** A server that serves volumes, with one port in the cluster's network. */
export interface StorageServerPlan
    extends Pick<
        ServerPlanEntry,
        "name" | "image" | "flavor" | "availabilityZone" | "bootVolume" | "floatingIp" | "metadata"
    > {
    /** Where its inputs begin: "storage." of a cluster, "" of a StorageServer of its own. */
    inputs: string;
    port: PortPlan;
    volumes: StorageVolumePlan[];
}

/** A volume whose data outlives server and cluster. */
export interface StorageVolumePlan extends VolumePlan {
    /** Id of an existing volume to attach in its place. */
    existing?: string;
    /** Id of the snapshot from which it is made. */
    snapshot?: string;
}

export interface ServerPlanEntry {
    /** Without the cluster's name: "control-plane-1", "workers-2". */
    key: string;
    /** Name of server, host and node. */
    name: string;
    role: Role;
    pool?: string;
    image: string;
    flavor: string;
    availabilityZone?: string;
    /** Key of `serverGroups`. */
    serverGroup?: string;
    bootVolume?: VolumePlan;
    volumes: VolumePlan[];
    /** The first is in the cluster's network. */
    ports: PortPlan[];
    floatingIp: boolean;
    metadata: Record<string, string>;
    configDrive?: boolean;
    /** The user's part of user data: YAML. */
    userData?: string;
}

export interface VolumePlan {
    /** Name of the volume in the cloud. */
    name: string;
    /** Name in the program: "data"; "boot". */
    key: string;
    sizeGiB: number;
    type?: string;
}

/** A port in the cluster's network with default settings. */
export function plainPort(name: string): PortPlan {
    return { name, securityGroups: [], portSecurity: true, allowedCidrs: [], bearsVip: false };
}

export interface PortPlan {
    name: string;
    /** Undefined: the cluster's network. */
    network?: { network: string; subnet?: string };
    /** In the cluster's network. Undefined: Neutron chooses. */
    address?: string;
    /** Existing security groups, in addition to the cluster's. */
    securityGroups: string[];
    portSecurity: boolean;
    vnicType?: string;
    /** Pods' networks that nodes route themselves. */
    allowedCidrs: string[];
    /** Whether it may carry the API's virtual address. */
    bearsVip: boolean;
}

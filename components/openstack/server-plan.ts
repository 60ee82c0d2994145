import type { Role } from "../../provider/model";

/**
 * What a cluster wants of an OpenStack cloud, decided: the one description from which both back ends (Heat, Nova) and the checks work.
 * Plain data, no outputs: all of it is known at preview. Names are what the cloud shows.
 */
export interface ServerPlan {
    clusterName: string;
    /** Owner, on everything that can bear tags or metadata: `pulumi-nfv.cluster`, `pulumi-nfv.stack`. */
    metadata: Record<string, string>;
    network: MadeNetwork | GivenNetwork;
    /** Of the router and of floating IPs: name or id. */
    externalNetwork?: string;
    /** Made: for all ports with port security. */
    securityGroup: { name: string; rules: SecurityGroupRule[] };
    /** Made, by group. */
    serverGroups: { key: string; name: string; policy: string }[];
    /** Made, with the cluster's public key, or an existing one. */
    keyPair: { name: string; made: boolean };
    /** The API's virtual address: a port without a server. */
    vip?: VipPlan;
    jumpServer?: JumpPlan;
    /** Masters first, then pool by pool, by number. */
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
    /** Existing router to attach to (name or id), or the name of the one that is made. */
    router: { existing: string } | { name: string };
}

export interface GivenNetwork {
    made: false;
    /** Name or id. */
    network: string;
    subnet?: string;
}

/** Neutron's own words; all rules are ingress. */
export interface SecurityGroupRule {
    /** Of the Pulumi resource and in the template: "ssh-1". */
    key: string;
    /** `tcp`, `udp`, `icmp`, `112` … ; undefined: any. */
    protocol?: string;
    ports?: { from: number; to: number };
    /** From where; `group`: from the security group itself. */
    from: { cidr: string } | { group: true };
}

export interface VipPlan {
    portName: string;
    /** Wanted address; otherwise Neutron chooses. */
    address?: string;
    floatingIp: boolean;
}

export interface JumpPlan {
    /** Of the server and of its port. */
    name: string;
    flavor: string;
    image: string;
    metadata: Record<string, string>;
    /** Made: of its port, beside the cluster's: the only one that SSH from outside is open to. */
    securityGroup: { name: string; rules: SecurityGroupRule[] };
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
    /** Of the volume in the cloud. */
    name: string;
    /** Name in the program: "data"; "boot". */
    key: string;
    sizeGiB: number;
    type?: string;
}

/** A port in the cluster's network without wishes of its own. */
export function plainPort(name: string): PortPlan {
    return { name, securityGroups: [], portSecurity: true, allowedCidrs: [], bearsVip: false };
}

export interface PortPlan {
    name: string;
    /** Undefined: the cluster's network. */
    network?: { network: string; subnet?: string };
    /** Existing security groups beside the cluster's. */
    securityGroups: string[];
    portSecurity: boolean;
    vnicType?: string;
    /** Pods' network, where nodes route it themselves. */
    allowedCidrs: string[];
    /** May bear the API's virtual address. */
    bearsVip: boolean;
}

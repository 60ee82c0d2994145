import type * as pulumi from "@pulumi/pulumi";
import type { SshArgs } from "./ssh-args";

/**
 * What users write of servers on an OpenStack cloud. The same words for both back ends; part of the schema like args.ts.
 */

/** Settings of an OpenStack cloud and of the servers on it, whatever makes them. */
export interface CloudServersArgs {
    /**
     * Name of the cloud in clouds.yaml. Credentials are never given here: they come from clouds.yaml or OS_* variables of the one who runs Pulumi.
     * @default the environment's (OS_CLOUD, or OS_AUTH_URL and the like)
     */
    cloud?: string;
    /**
     * Region of the cloud.
     * @default the one of clouds.yaml or OS_REGION_NAME
     */
    region?: string;
    /** Image of all servers, by name or id. Required unless every group has its own. */
    image?: string;
    /** Flavor of all groups that name none, by name or id. */
    flavor?: string;
    /** External network for the router and floating IPs, by name or id. Required where one of them is made. */
    externalNetwork?: string;
    /** The network that the nodes share. */
    network?: CloudNetworkArgs;
    /** Who may reach the cluster from outside. */
    access?: CloudAccessArgs;
    /** Settings of all servers; a group's own ones come before them. */
    server?: ServerArgs;
    /**
     * Existing key pair of the cloud. Needs `ssh.privateKey` or an agent, and the image's `ssh.user`.
     * @default one is made for the cluster
     */
    keyPair?: string;
    /** How the servers are reached by SSH, where it differs from what we set up ourselves. */
    ssh?: SshArgs;
    /** Added to the metadata of all servers, beside our own (`pulumi-nfv.cluster`, `.role`, `.pool`, `.stack`). */
    metadata?: Record<string, string>;
    /**
     * Refuses to delete servers, volumes and the network as long as it is set: preview says so.
     * @default false
     */
    deleteProtection?: boolean;
    /**
     * How long a new server may take until SSH answers and cloud-init has ended, in seconds.
     * @default 600
     */
    bootTimeoutSeconds?: number;
    /**
     * What becomes of volumes and load balancers that Kubernetes made, when the cluster is destroyed: `delete` (with the data in them) or `list`.
     * @default "delete"
     */
    leftovers?: string;
}

/** Servers made by Heat. */
export interface HeatArgs extends CloudServersArgs {
    /**
     * Name of the stack.
     * @default the cluster's name
     */
    stackName?: string;
    /**
     * How long Heat may take for the stack, in minutes.
     * @default 60
     */
    timeoutMinutes?: number;
    /** A template of your own instead of ours: see docs/heat-templates.md. */
    template?: HeatTemplateArgs;
}

/** A Heat template of the user's. */
export interface HeatTemplateArgs {
    /** Path of the template. Nested templates are found beside it. */
    file: string;
    /** Values of its parameters, as text; lists and maps as JSON. */
    parameters?: Record<string, pulumi.Input<string>>;
    /** Settings for templates as Tacker's users have them. */
    tacker?: TackerTemplateArgs;
}

/** How a template in the style of Tacker is read. */
export interface TackerTemplateArgs {
    /** Name of the LCM operation user data class: KubernetesClusterUserData, SampleUserData, StandardUserData or DefaultUserData. */
    userDataClass: string;
    /** VDU or aspect of the masters, and its connection points. */
    masterNode: TackerNodeArgs;
    /** VDU or aspect of the workers by pool. */
    workerNodes?: Record<string, TackerNodeArgs>;
    /** Port of the API's virtual address, which no server uses; with one master its own port (`cluster_cp_name`). */
    clusterConnectionPoint?: string;
    /** Floating IP of that address (`cluster_fip_name`). The floating IP of a single master is its `sshConnectionPoint`. */
    clusterFloatingIp?: string;
    /** VDU → what its servers are made of. */
    vdus?: Record<string, TackerVduArgs>;
    /** Connection point → where it is. */
    connectionPoints?: Record<string, TackerConnectionPointArgs>;
}

/** One VDU of a template in the style of Tacker. */
export interface TackerNodeArgs {
    /** Name of the aspect (`aspect_id`), for groups that scale. */
    aspect?: string;
    /** Name of the VDU (`vdu_id`). */
    vdu?: string;
    /** Port or floating IP for SSH (`ssh_cp_name`). */
    sshConnectionPoint: string;
    /** Port with the node's address (`nic_cp_name`). */
    nicConnectionPoint: string;
}

/** What the servers of a VDU are made of. */
export interface TackerVduArgs {
    /** Flavor, by name or id. */
    flavor?: string;
    /** Image, by name or id. */
    image?: string;
    /** Availability zone of its servers. */
    availabilityZone?: string;
    /**
     * How many copies there are, of a VDU that is no node: the number of nodes is the `count` of `controlPlane` and of the pools.
     * @default 1, and the template's own number where it has one
     */
    count?: number;
}

/** Where a connection point is. */
export interface TackerConnectionPointArgs {
    /** Network, by name or id. */
    network?: string;
    /** Subnet of it, by name or id. */
    subnet?: string;
    /**
     * Address that it shall have; only for a connection point of which there is one.
     * @default Neutron chooses
     */
    fixedAddress?: string;
    /** Several addresses, in place of `subnet` and `fixedAddress`. */
    fixedIps?: TackerFixedIpArgs[];
    /** Id of an existing port. */
    port?: string;
}

/** One address of a connection point. */
export interface TackerFixedIpArgs {
    /** Subnet, by name or id. */
    subnet?: string;
    /**
     * Address that it shall have.
     * @default Neutron chooses
     */
    address?: string;
}

/** Servers made one by one. */
export interface NovaArgs extends CloudServersArgs {}

/** The network that the nodes share: made, unless `network` names an existing one. */
export interface CloudNetworkArgs {
    /** Existing network, by name or id. */
    network?: string;
    /** Existing subnet of it, by name or id; required where the network has several. */
    subnet?: string;
    /**
     * With `network`: existing router of its subnet, used to check the way out. Without: existing router that the new subnet is attached to, by name or id.
     * @default a router is made, with a gateway to `externalNetwork`
     */
    router?: string;
    /**
     * Addresses of the network that is made; apart from those of pods and services.
     * @default "10.100.0.0/24"
     */
    cidr?: string;
    /** Resolvers of the subnet that is made. */
    dnsServers?: string[];
    /** MTU of the network that is made; the cloud's default otherwise. */
    mtu?: number;
}

/** Who may reach the cluster from outside, and how we do. */
export interface CloudAccessArgs {
    /**
     * Which nodes get a floating IP: `all`, `controlPlane`, `none`. With `none` the nodes must be reachable directly, by `jumpServer`, or by `ssh.jump`.
     * @default "all" where `externalNetwork` is set and no `jump` is, else "none"
     */
    floatingIps?: string;
    /**
     * Gives the API's virtual address a floating IP.
     * @default true where `externalNetwork` is set
     */
    apiFloatingIp?: boolean;
    /** Makes a small server through which all others are reached; it gets the only floating IP for SSH. */
    jumpServer?: JumpServerArgs;
    /**
     * Networks from which nodes, or the jump server, can be reached by SSH. Narrow it: the default is everybody.
     * @default ["0.0.0.0/0"]
     */
    sshCidrs?: string[];
    /**
     * Networks from which the API can be reached. Narrow it: the default is everybody.
     * @default ["0.0.0.0/0"]
     */
    apiCidrs?: string[];
    /**
     * Who may reach Services of type NodePort (30000 to 32767, TCP and UDP).
     * @default nobody outside the cluster
     */
    nodePortCidrs?: string[];
}

/** A jump host of our own. */
export interface JumpServerArgs {
    /** By name or id; the smallest will do. */
    flavor: string;
    /**
     * Image with cloud-init and sshd, by name or id.
     * @default the servers' image
     */
    image?: string;
}

/** Settings of servers of one group. */
export interface ServerArgs {
    /** Image of this group, by name or id. */
    image?: string;
    /** Availability zones; the nodes of the group are dealt out to them in turn. */
    availabilityZones?: string[];
    /**
     * Server group of the nodes of this group: `soft-anti-affinity`, `anti-affinity`, `soft-affinity`, `affinity` or `none`.
     * @default "soft-anti-affinity"
     */
    serverGroup?: string;
    /** Boots from a new volume instead of the flavor's disk. */
    bootVolume?: BootVolumeArgs;
    /** Further volumes of each server by name. */
    volumes?: Record<string, VolumeArgs>;
    /** Further networks, after the cluster's. */
    networks?: ServerNetworkArgs[];
    /** Further security groups that exist, by name or id. */
    securityGroups?: string[];
    /** Settings of the port in the cluster's network: `direct` for SR-IOV. */
    port?: PortArgs;
    /**
     * Gives user data by a config drive beside the metadata service.
     * @default the cloud's choice
     */
    configDrive?: boolean;
    /** cloud-init configuration (YAML, "#cloud-config") that is merged with ours; ours wins. */
    userData?: string;
    /** Added to these servers' metadata. */
    metadata?: Record<string, string>;
}

/** The volume that a server boots from. */
export interface BootVolumeArgs {
    /** Size in GiB; at least what the image needs. */
    sizeGiB: number;
    /** Volume type. */
    type?: string;
}

/** A volume beside the root disk. */
export interface VolumeArgs {
    /** Size in GiB. */
    sizeGiB: number;
    /** Volume type. */
    type?: string;
}

/** A further network of a server. */
export interface ServerNetworkArgs {
    /** By name or id. */
    network: string;
    /** By name or id. */
    subnet?: string;
    /** Settings of the port in this network. */
    port?: PortArgs;
}

/** Settings of a port. */
export interface PortArgs {
    /** Neutron's vnic type: `normal`, `direct`, `macvtap` … */
    vnicType?: string;
    /**
     * Off: no security groups and no check of source addresses on this port.
     * @default true
     */
    portSecurity?: boolean;
}

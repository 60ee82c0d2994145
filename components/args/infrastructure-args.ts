import type * as pulumi from "@pulumi/pulumi";
import type { SshArgs } from "./ssh-args";

/** What users write about servers on an OpenStack cloud. The same inputs for both back ends; part of the schema like args.ts. */

/** An OpenStack cloud, and how servers on it are made and reached. */
export interface CloudArgs {
    /**
     * Name of the cloud in clouds.yaml. Credentials are never given here: they come from clouds.yaml or the OS_* variables of the user who runs
     * Pulumi.
     * @default the environment's (OS_CLOUD, or OS_AUTH_URL and the like)
     * @change nothing: for another name of the same cloud; another cloud has none of the resources
     */
    cloud?: string;
    /**
     * Region of the cloud.
     * @default the region of clouds.yaml or OS_REGION_NAME
     * @change refused
     */
    region?: string;
    /**
     * External network for the router and floating IPs, by name or id. Required if one of them is created.
     * @change again: the router's gateway and the floating IPs: the addresses from outside change. With `nova` the floating IPs stay, and Neutron refuses
     * another gateway while they exist
     */
    externalNetwork?: string;
    /** The network that the servers share. */
    network?: CloudNetworkArgs;
    /**
     * Existing key pair of the cloud. Requires `ssh.privateKey` or an agent, and the image's `ssh.user`.
     * @default a key pair is made
     * @change refused
     */
    keyPair?: string;
    /** How the servers are reached by SSH; overrides what we set up ourselves. */
    ssh?: SshArgs;
    /** Added to the metadata of all servers, besides our own (`pulumi-nfv.cluster`, `.role`, `.pool`, `.stack`). @change cloud */
    metadata?: Record<string, string>;
    /**
     * While it is true, the deletion of servers, volumes and the network is refused, already at preview.
     * @default false
     * @change nothing
     */
    deleteProtection?: boolean;
    /**
     * How long a new server may take until SSH answers and cloud-init has ended, in seconds.
     * @default 600
     * @change nothing
     */
    bootTimeoutSeconds?: number;
}

/** Settings of an OpenStack cloud and of the nodes on it, for both back ends. */
export interface CloudServersArgs extends CloudArgs {
    /**
     * Image of all servers, by name or id. Required unless every group has its own.
     * @change nothing: existing servers stay as they are; new ones use it, and those that you replace by name
     */
    image?: string;
    /** Flavor of all groups that have none of their own, by name or id. @change refused: for existing servers; a new pool may use another value */
    flavor?: string;
    /** Who may reach the cluster from outside. */
    access?: CloudAccessArgs;
    /** Settings of all servers; a group's own settings override them. */
    server?: ServerArgs;
    /**
     * What a destroy does with volumes and load balancers that Kubernetes created: `delete` (with their data,
     * also of PersistentVolumes with the policy Retain; a volume with snapshots stays) or `list`.
     * @default "delete"
     * @change nothing
     * @format choice
     */
    leftovers?: string;
}

/** Servers created by Heat. */
export interface HeatArgs extends CloudServersArgs {
    /**
     * Name of the stack.
     * @default the cluster's name
     * @change refused
     * @format stackName
     */
    stackName?: string;
    /**
     * How long Heat may take for an operation on the stack, in minutes.
     * @default 60
     * @change nothing
     */
    timeoutMinutes?: number;
    /** Your own template instead of ours: see docs/heat-templates.md. */
    template?: HeatTemplateArgs;
}

/** A Heat template of the user. @change cloud: Heat updates the stack. Preview refuses what would replace or disconnect the servers of existing nodes */
export interface HeatTemplateArgs {
    /**
     * Path of the template. Nested templates are searched beside it.
     * @change refused: only the change from our template to yours or back; another file updates the stack
     */
    file: string;
    /**
     * Values of its parameters, as text; lists and maps as JSON.
     * @format text
     */
    parameters?: Record<string, pulumi.Input<string>>;
    /** Settings for templates in the style of Tacker. */
    tacker?: TackerTemplateArgs;
}

/** How a template in the style of Tacker is read. */
export interface TackerTemplateArgs {
    /**
     * Name of the LCM operation user data class: KubernetesClusterUserData, SampleUserData, StandardUserData or DefaultUserData.
     * @format choice
     */
    userDataClass: string;
    /** VDU or aspect of the control-plane nodes, and its connection points. */
    masterNode: TackerNodeArgs;
    /**
     * VDU or aspect of the workers by pool.
     * @keys dnsLabel
     */
    workerNodes?: Record<string, TackerNodeArgs>;
    /** Port of the API's virtual address, which no server uses; with one control-plane node its own port (`cluster_cp_name`). */
    clusterConnectionPoint?: string;
    /** Floating IP of that address (`cluster_fip_name`). The floating IP of a single control-plane node is its `sshConnectionPoint`. */
    clusterFloatingIp?: string;
    /** VDU → flavor, image and zone of its servers. */
    vdus?: Record<string, TackerVduArgs>;
    /** Connection point → its network and addresses. */
    connectionPoints?: Record<string, TackerConnectionPointArgs>;
}

/** A group of nodes in a template in the style of Tacker. */
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

/** Flavor, image, zone and number of a VDU's servers. @change refused: for existing servers */
export interface TackerVduArgs {
    /** Flavor, by name or id. */
    flavor?: string;
    /** Image, by name or id. */
    image?: string;
    /** Availability zone of its servers. */
    availabilityZone?: string;
    /**
     * Number of copies, for a VDU whose servers are not nodes: the number of nodes is the `count` of `controlPlane` and of the pools.
     * @default 1, and the template's own number if it has one
     * @change cloud: Heat updates the stack. Preview refuses what would replace or disconnect the servers of existing nodes
     */
    count?: number;
}

/** Network and addresses of a connection point. */
export interface TackerConnectionPointArgs {
    /** Network, by name or id. */
    network?: string;
    /** Subnet of that network, by name or id. */
    subnet?: string;
    /**
     * The address it gets; only for a connection point that exists once.
     * @default Neutron chooses
     * @format address
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
     * The address it gets.
     * @default Neutron chooses
     * @format address
     */
    address?: string;
}

/** Servers created one by one. */
export interface NovaArgs extends CloudServersArgs {}

/** The network that the nodes share. It is created, unless `network` names an existing one. @change refused */
export interface CloudNetworkArgs {
    /** Existing network, by name or id. */
    network?: string;
    /** Existing subnet of that network, by name or id; required if the network has several. */
    subnet?: string;
    /**
     * Existing router to which the created subnet is attached, by name or id. Not with `network`.
     * @default a router is created, with a gateway to `externalNetwork`
     * @change again: the external route is interrupted for a moment
     */
    router?: string;
    /**
     * Addresses of the created network; they must not overlap those of pods and services.
     * @default "10.100.0.0/24"
     * @format cidr
     */
    cidr?: string;
    /**
     * Name servers of the created subnet.
     * @change cloud: servers get it when they renew their DHCP lease
     * @format address
     */
    dnsServers?: string[];
    /**
     * MTU of the created network.
     * @default the cloud's
     * @change cloud: servers get it when they renew their DHCP lease
     */
    mtu?: number;
}

/** Who may reach servers from outside, and how this package reaches them. */
export interface ServerAccessArgs {
    /**
     * Which servers get a floating IP: `all`, `controlPlane`, `none`. With `none` they must be reachable directly, by `jumpServer`, or by
     * `ssh.jump`.
     * @default "all" if `externalNetwork` is set and no `jump` is, else "none"
     * @change cloud: addresses from outside are added or removed
     * @format choice
     */
    floatingIps?: string;
    /**
     * Creates a small server through which all others are reached; only it gets a floating IP for SSH.
     * @change again: the jump server; nodes keep running. With `nova` only when you replace it by name
     */
    jumpServer?: JumpServerArgs;
    /**
     * Networks from which the servers, or the jump server, can be reached by SSH. Narrow it: the default allows every address.
     * @default ["0.0.0.0/0"]
     * @change cloud
     * @format cidr
     */
    sshCidrs?: string[];
}

/** Who may reach the cluster from outside, and how this package reaches it. */
export interface CloudAccessArgs extends ServerAccessArgs {
    /**
     * Gives the API's virtual address a floating IP.
     * @default true if `externalNetwork` is set
     * @change cloud: addresses from outside are added or removed
     */
    apiFloatingIp?: boolean;
    /**
     * Networks from which the API can be reached. Narrow it: the default allows every address.
     * @default ["0.0.0.0/0"]
     * @change cloud
     * @format cidr
     */
    apiCidrs?: string[];
    /**
     * Networks from which Services of type NodePort (30000 to 32767, TCP and UDP) can be reached.
     * @default none: only the cluster itself
     * @change cloud
     * @format cidr
     */
    nodePortCidrs?: string[];
}

/** A jump host that this package creates. */
export interface JumpServerArgs {
    /** Flavor, by name or id; the smallest is enough. */
    flavor: string;
    /**
     * Image with cloud-init and sshd, by name or id.
     * @default the servers' image
     */
    image?: string;
}

/** Settings of servers of one group. @change refused: for existing servers; a new pool may use another value */
export interface ServerArgs {
    /** Image of this group, by name or id. @change nothing: existing servers stay as they are; new ones use it, and those that you replace by name */
    image?: string;
    /** Availability zones; the nodes of the group are spread over them in turn. */
    availabilityZones?: string[];
    /**
     * Server group of the nodes of this group: `soft-anti-affinity`, `anti-affinity`, `soft-affinity`, `affinity` or `none`.
     * @default "soft-anti-affinity"
     * @format choice
     */
    serverGroup?: string;
    /** Boots from a new volume instead of the flavor's disk. */
    bootVolume?: BootVolumeArgs;
    /**
     * Further volumes of each server by name.
     * @change cloud: a new volume is attached; a removed one is deleted with its data
     * @keys dnsLabel
     */
    volumes?: Record<string, VolumeArgs>;
    /** Further networks, after the cluster's network. */
    networks?: ServerNetworkArgs[];
    /** Existing security groups to add, by name or id. @change cloud */
    securityGroups?: string[];
    /** Settings of the port in the cluster's network: `direct` for SR-IOV. */
    port?: PortArgs;
    /**
     * Provides user data by a config drive, in addition to the metadata service.
     * @default the cloud's choice
     */
    configDrive?: boolean;
    /**
     * cloud-init configuration (YAML, "#cloud-config") that is merged with ours. In a conflict ours wins.
     * @change nothing: for existing servers, because cloud-init reads it once
     * @format text
     */
    userData?: string;
    /** Added to these servers' metadata. @change cloud */
    metadata?: Record<string, string>;
}

/** The volume that a server boots from. */
export interface BootVolumeArgs {
    /** Size in GiB; at least what the image needs. */
    sizeGiB: number;
    /** Volume type. */
    type?: string;
}

/** A volume in addition to the root disk. */
export interface VolumeArgs {
    /** Size in GiB. @change cloud: the volume grows; the cloud refuses a smaller size */
    sizeGiB: number;
    /** Volume type. @change refused: for existing servers; a new pool may use another value */
    type?: string;
}

/** A further network of a server. */
export interface ServerNetworkArgs {
    /** The network, by name or id. */
    network: string;
    /** The subnet, by name or id. */
    subnet?: string;
    /** Settings of the port in this network. */
    port?: PortArgs;
}

/** Settings of a port. */
export interface PortArgs {
    /**
     * Neutron's vnic type: `normal`, `direct`, `macvtap` …
     * @change refused: for existing servers; a new pool may use another value
     * @format choice
     */
    vnicType?: string;
    /**
     * `false`: no security groups and no check of source addresses on this port.
     * @default true
     * @change cloud
     */
    portSecurity?: boolean;
}

/** The cloud in which a StorageServer of its own is made. */
export interface StorageCloudArgs extends CloudArgs {
    /**
     * Image of the server, by name or id.
     * @default `server.image`
     * @change nothing: a server that exists stays as it is; one that you replace by name uses it
     */
    image?: string;
    /** Who may reach the server by SSH. */
    access?: StorageAccessArgs;
}

/** Who may reach a StorageServer of its own from outside, and how this package reaches it. */
export interface StorageAccessArgs extends ServerAccessArgs {
    /**
     * Whether the server gets a floating IP: `all` or `none`. With `none` it must be reachable directly, by `jumpServer`, or by `ssh.jump`.
     * @default "all" if `externalNetwork` is set and no `jump` is, else "none"
     * @change cloud: the address from outside is added or removed; clients in the network notice nothing
     * @format choice
     */
    floatingIps?: string;
    /**
     * Creates a small server through which the server is reached; only it gets a floating IP for SSH.
     * @change nothing: a jump server that you replace by name takes the new value
     */
    jumpServer?: JumpServerArgs;
}

import type * as pulumi from "@pulumi/pulumi";
import type { Json, NumberOrText, TaintArgs } from "./args";
import type { TenantsArgs } from "./tenants-args";
import type { SendCredentialsArgs, WorkloadIdentityArgs } from "./workload-credential-args";

/** What a workload cluster is made of, but for the components that it refers to: these use the rules, which read this. */
export interface WorkloadInputs {
    /**
     * Name of the Cluster; names of its other objects and of the servers begin with it: at most 30 of a-z, 0-9 and -, the first a letter. It cannot change.
     * With `manifests` it is that of their Cluster.
     * @default the resource's name
     * @change again: the previous cluster and all that runs on it are removed first
     * @format dnsLabel
     */
    clusterName?: string;
    /**
     * Namespace of its objects in the management cluster; created if it is missing. It cannot change. With `manifests` it is that of objects which name none.
     * @default "default"
     * @change again: the previous cluster and all that runs on it are removed first
     * @format dnsLabel
     */
    namespace?: string;
    /**
     * Kubernetes version: `"1.36.3"`. A newer one replaces the control plane's machines one after another, then the pools'. Required with `openstack`.
     * @change machines: the control plane first, then the pools; an older one, or the minor version after the next, is refused
     * @format version
     */
    version?: string;
    /**
     * `true`: as `kubernetes.allowUnsupportedVersion` of a KubernetesCluster, also for the version in `manifests`.
     * @default false: preview refuses such a version
     * @change nothing: used with the next change of `version`
     */
    allowUnsupportedVersion?: boolean;
    /** The cloud, and what is made in it. */
    openstack?: WorkloadOpenStackArgs;
    /** Control-plane machines. */
    controlPlane?: WorkloadControlPlaneArgs;
    /**
     * Worker machines, by the pool's name: at most 30 of a-z, 0-9 and -, the first a letter.
     * @change step: its machines are made, or drained and removed
     * @keys dnsLabel
     */
    pools?: Record<string, WorkloadPoolArgs>;
    /** Addresses of pods and Services, and the pod network. */
    network?: WorkloadNetworkArgs;
    /**
     * With `openstack`: what those who deploy into namespaces may use beyond them: docs/security.md.
     * @change step: new manifests are applied in the cluster; objects that are in none of them any more stay
     */
    tenants?: TenantsArgs;
    /**
     * Manifests that the cluster gets besides its pod network, or with `manifests` also its pod network: paths of YAML files and of folders of such files, or YAML
     * texts. Cluster API applies them again when they change. They come to it in ConfigMaps, so an object may have at most 1 MiB.
     * @change step: new manifests are applied in the cluster; objects that are in none of them any more stay
     * @format text
     */
    addOns?: string[];
    /** What the machines' kubeadm gets. @change machines: all machines */
    kubeadm?: WorkloadKubeadmArgs;
    /** Machines that fail are replaced by Cluster API. @change nothing */
    healthCheck?: WorkloadHealthCheckArgs;
    /**
     * The user's own objects in place of typed inputs: paths of YAML files and of folders of such files, or YAML texts, for example
     * a template of CAPO. Exactly one Cluster is among them; another `clusterName` or `namespace` than it has is refused.
     * @change step: objects are applied; whether machines are replaced follows from names of templates and versions. What CAPO's webhooks keep is refused
     * @format text
     */
    manifests?: string[];
    /**
     * Values of `${NAME}` and `${NAME:=default}` in `manifests`, as clusterctl has them.
     * @change step: objects are applied; whether machines are replaced follows from names of templates and versions. What CAPO's webhooks keep is refused
     * @keys variable
     * @format text
     */
    variables?: Record<string, pulumi.Input<string>>;
    /** A URL that gets the cluster's credentials, each time they change. */
    sendCredentials?: SendCredentialsArgs;
    /**
     * A MovedClusters may move it to another management cluster, also to itself: this program finds it there, and goes on. It is decided when the cluster is
     * made, and cannot change.
     * @default false
     * @change refused: another resource would hold its objects, and the previous one remove the cluster
     */
    movable?: boolean;
    /**
     * Cluster API leaves the cluster as it is: nothing is made, healed or removed until this is false again.
     * @default false
     * @change nothing
     */
    paused?: boolean;
    /**
     * How long the cluster may take until all of its machines are ready, and until it is gone, in seconds.
     * @default 1800
     * @change nothing
     */
    timeoutSeconds?: number;
}

/** The OpenStack cloud of a workload cluster. */
export interface WorkloadOpenStackArgs {
    /** How Cluster API logs in to the cloud. A change is used by the next request; no machine is replaced. */
    identity: WorkloadIdentityArgs;
    /**
     * Name or id of the network with floating IPs.
     * @default the only external network of the project
     * @change refused: by Cluster API: the network of a cluster stays
     */
    externalNetwork?: string;
    /**
     * Addresses of the network that is made for the machines. Exactly one of `nodeCidr` and `network` is set.
     * @default "10.6.0.0/24" without `network`
     * @change refused: by Cluster API: the network of a cluster stays
     * @format cidr
     */
    nodeCidr?: string;
    /** Name or id of an existing network for the machines. @change refused: by Cluster API: the network of a cluster stays */
    network?: string;
    /** Names or ids of subnets of that network. @change refused: by Cluster API: the network of a cluster stays */
    subnets?: string[];
    /**
     * Name servers of the network that is made.
     * @change cloud
     * @format address
     */
    dnsNameservers?: string[];
    /**
     * How clients reach the API: `floating-ip` (the control plane's only machine has it), `octavia` (a load balancer of the cloud), or `none` (the machine's
     * own address, or `apiEndpoint`).
     * @default "floating-ip"
     * @change refused: by Cluster API: the address of a cluster stays
     * @format choice
     */
    apiAccess?: string;
    /** Address and port of a load balancer of your own, `"10.0.0.5:6443"`. @change refused: by Cluster API: the address of a cluster stays */
    apiEndpoint?: string;
    /** Name of an SSH key pair in the cloud, which all machines accept. @change machines */
    sshKeyName?: string;
    /**
     * Zones of the control plane's machines.
     * @default all of the cloud
     * @change step: new machines of the control plane go there
     */
    availabilityZones?: string[];
    /** Tags of everything that is made in the cloud. @change refused: by Cluster API: the tags of a cluster stay */
    tags?: string[];
}

/** Machines of a workload cluster. A change replaces them one after another. */
export interface WorkloadMachineArgs {
    /** Flavor of the servers. */
    flavor: string;
    /** Name or id of the image, with kubeadm, kubelet and a container runtime of the cluster's version. */
    image: string;
    /** A boot volume in place of the flavor's disk. */
    rootVolume?: WorkloadRootVolumeArgs;
    /** Names of the cloud's security groups, besides the cluster's own ones. */
    securityGroups?: string[];
    /** Id of a server group. */
    serverGroup?: string;
    /**
     * Further fields of OpenStackMachineSpec, as CAPO has them. They win over ours.
     * @keys field
     */
    machineSpec?: Record<string, Json>;
}

/** A boot volume. */
export interface WorkloadRootVolumeArgs {
    /** Size in GiB. */
    sizeGiB: number;
    /** Volume type. @default the cloud's */
    type?: string;
    /** Zone of the volume. @default the server's */
    availabilityZone?: string;
}

/** Control-plane machines of a workload cluster. @change machines */
export interface WorkloadControlPlaneArgs extends WorkloadMachineArgs {
    /**
     * How many: 1, 3 or 5. More than one need `apiAccess: "octavia"`, or an `apiEndpoint`.
     * @default 1
     * @change step: machines join or leave one after another
     */
    replicas?: number;
}

/** Worker machines of a workload cluster. @change machines */
export interface WorkloadPoolArgs extends WorkloadMachineArgs {
    /**
     * How many. Not together with `autoscale`.
     * @default 1
     * @change step: machines join, or are drained and removed
     */
    replicas?: number;
    /** A cluster autoscaler sets the number: `up` keeps what it has set. @change nothing: the autoscaler follows */
    autoscale?: WorkloadAutoscaleArgs;
    /** Zone of the servers. */
    availabilityZone?: string;
    /**
     * Labels of the nodes. Cluster API keeps those with the prefixes that kubelets may not set themselves, such as `node.cluster.x-k8s.io/`.
     * @change machines: those that Cluster API keeps change in place
     * @keys labelKey
     * @format labelValue
     */
    labels?: Record<string, string>;
    /** Taints of the nodes. A change replaces the machines. */
    taints?: TaintArgs[];
    /**
     * How many machines may be missing while they are replaced: a number or a share, `"20%"`.
     * @default 0: a new one first
     * @change nothing
     * @format share
     */
    maxUnavailable?: NumberOrText;
    /**
     * How long a machine waits for its pods to leave, in seconds; 0: without end.
     * @default 0
     * @change nothing
     */
    drainTimeoutSeconds?: number;
}

/** The range of a cluster autoscaler. */
export interface WorkloadAutoscaleArgs {
    /** Least number of machines. */
    min: number;
    /** Most machines. */
    max: number;
}

/**
 * Network of a workload cluster. It cannot change, but for manifests, image, kubectl and the metadata service.
 * @change refused: as soon as there are machines: they would lose each other
 */
export interface WorkloadNetworkArgs {
    /**
     * Addresses of pods. Each node gets a /24 of them (IPv6: a /64), or what `kubeadm.clusterConfiguration` says for the controller manager
     * (`node-cidr-mask-size`): too few for the machines are refused.
     * @default "10.244.0.0/16"
     * @format cidr
     */
    podCidr?: string;
    /**
     * Addresses of Services.
     * @default "10.96.0.0/16"
     * @format cidr
     */
    serviceCidr?: string;
    /**
     * Domain of the names of Services.
     * @default "cluster.local"
     * @format dnsName
     */
    dnsDomain?: string;
    /**
     * The pod network: `bridge` (routes between nodes of one network, works offline), `flannel`, `manifests` (your own, see `cniManifests`), `none`.
     * @default "bridge"
     * @change refused: as soon as there are machines: the objects of the previous pod network would stay
     * @format choice
     */
    cni?: string;
    /**
     * With `cni: manifests`: paths of YAML files and of folders of such files, or YAML texts.
     * @change step: new manifests are applied in the cluster; objects that are in none of them any more stay
     * @format text
     */
    cniManifests?: string[];
    /**
     * Another image for `bridge` or `flannel` (without a tag for flannel).
     * @default for bridge the image that a bundle of this package brings: the machines' image must have it
     * @change step: new manifests are applied in the cluster; objects that are in none of them any more stay
     * @format image
     */
    image?: string;
    /**
     * Path of kubectl on the machines, which `bridge` uses.
     * @default "/usr/bin/kubectl"
     * @change step: new manifests are applied in the cluster; objects that are in none of them any more stay
     * @format filePath
     */
    kubectlPath?: string;
    /**
     * Whether pods reach the cloud's metadata service. It hands out the machine's user data, with it a token to join the cluster with, and on control-plane machines the
     * keys of its authorities. Without `true` each machine gets a table of nftables, which its image must have: otherwise it does not join.
     * @default false
     * @change machines: all machines
     */
    podsReachMetadata?: boolean;
}

/** kubeadm on the machines of a workload cluster. A change replaces all machines. */
export interface WorkloadKubeadmArgs {
    /**
     * Shell commands before kubeadm, on every machine.
     * @format text
     */
    preCommands?: string[];
    /**
     * Shell commands after kubeadm, on every machine.
     * @format text
     */
    postCommands?: string[];
    /**
     * Files on every machine: path → text. Their text is in the management cluster: no secrets.
     * @keys filePath
     * @format text
     */
    files?: Record<string, string>;
    /**
     * Flags of the kubelets.
     * @keys flag
     */
    kubeletArgs?: Record<string, string>;
    /**
     * Fields of ClusterConfiguration, as Cluster API's KubeadmConfigSpec has them.
     * @keys field
     */
    clusterConfiguration?: Record<string, Json>;
    /**
     * Nodes wait for OpenStack's cloud controller manager, which `addOns` must bring.
     * @default false
     */
    externalCloudProvider?: boolean;
}

/** When Cluster API replaces a machine. */
export interface WorkloadHealthCheckArgs {
    /**
     * How long a node may not be Ready, in seconds.
     * @default 300
     */
    notReadySeconds?: number;
    /**
     * How long a machine may take until its node is there, in seconds.
     * @default 1200
     */
    startupSeconds?: number;
    /**
     * Nothing is replaced while more machines than this fail: a number or a share. Cluster API rounds a share down: 40% of two are none.
     * @default one of the control plane; of the pools 40%, and at least one. An autoscaled pool counts with its `min`: give a share where it grows
     * @format share
     */
    maxUnhealthy?: NumberOrText;
    /**
     * Machines of the control plane, too, one at a time and only from three on.
     * @default true
     */
    controlPlane?: boolean;
}

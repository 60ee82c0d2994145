import type * as pulumi from "@pulumi/pulumi";

/**
 * What users write of OpenStack's own parts in the cluster. Part of the schema like args.ts.
 */

/** OpenStack's own parts in the cluster: only with `heat` or `nova`. */
export interface CloudProviderArgs {
    /**
     * The cloud controller manager: nodes know their zone and leave when their server is gone, Services of type LoadBalancer get one of
     * Octavia. Decide before the cluster is made: nodes that exist already are not initialised later.
     */
    cloudControllerManager?: CloudControllerManagerArgs;
    /** Volumes of Cinder as PersistentVolumes. */
    cinderCsi?: CinderCsiArgs;
    /**
     * With what they log in to the cloud.
     * @default a restricted application credential is made for the cluster
     */
    credentials?: CloudProviderCredentialsArgs;
    /**
     * Address of Keystone as the nodes reach it: `"https://cloud.site:5000/v3"`.
     * @default the public endpoint of the cloud's catalogue
     */
    authUrl?: pulumi.Input<string>;
    /**
     * Region of the cloud that they use.
     * @default the one of `heat` or `nova`, or that of the catalogue's endpoint
     */
    region?: pulumi.Input<string>;
    /**
     * Certificate of the authority that signed the certificates of the cloud's APIs: PEM text, or the path of a file with it. What clouds.yaml says
     * is not known here.
     * @default the public ones
     */
    caCertificate?: pulumi.Input<string>;
    /**
     * Registry and path that stand in for registry.k8s.io in the images' names.
     * @default "registry.k8s.io"
     */
    imageRepository?: string;
}

/** How the cluster's own parts log in. */
export interface CloudProviderCredentialsArgs {
    /** Of an application credential that exists. */
    applicationCredentialId?: pulumi.Input<string>;
    /**
     * Its secret.
     * @secret
     */
    applicationCredentialSecret?: pulumi.Input<string>;
    /**
     * Roles of the one that is made.
     * @default all that the user who runs Pulumi has in the project
     */
    roles?: string[];
}

/** OpenStack's cloud controller manager. */
export interface CloudControllerManagerArgs {
    /**
     * `false` takes it away again.
     * @default true
     */
    enabled?: boolean;
    /**
     * Version of its image: `"v1.34.1"`.
     * @default the one that fits Kubernetes
     */
    version?: string;
    /** Load balancers for Services. */
    loadBalancer?: CloudLoadBalancerArgs;
}

/** Load balancers for Services of type LoadBalancer, by Octavia. */
export interface CloudLoadBalancerArgs {
    /**
     * `false`: Services of type LoadBalancer are left alone, for clouds without Octavia.
     * @default true
     */
    enabled?: boolean;
    /** Id of the external network that floating IPs come from; required where the cloud has several. */
    floatingNetworkId?: string;
    /** Id of the subnet of it. */
    floatingSubnetId?: string;
    /** Id of the subnet in which the load balancers stand. */
    subnetId?: string;
    /** Id of the network in which they stand, where no subnet is named. */
    networkId?: string;
    /** Octavia's provider: `amphora`, `ovn` … */
    provider?: string;
    /** ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP; `ovn` has only SOURCE_IP_PORT. */
    method?: string;
    /** Id of Octavia's flavor. */
    flavorId?: string;
    /** Octavia's availability zone. */
    availabilityZone?: string;
    /**
     * No floating IPs, unless a Service says otherwise.
     * @default false
     */
    internal?: boolean;
    /**
     * Octavia watches the nodes.
     * @default false
     */
    createMonitor?: boolean;
    /**
     * Opens the nodes' ports for the load balancers with security groups of its own.
     * @default false
     */
    manageSecurityGroups?: boolean;
}

/** Volumes of Cinder. */
export interface CinderCsiArgs {
    /**
     * `false` takes it away again; volumes stay.
     * @default true
     */
    enabled?: boolean;
    /**
     * Version of its image: `"v1.34.1"`.
     * @default the one that fits Kubernetes
     */
    version?: string;
    /**
     * For clouds whose zones of Cinder are not those of Nova: volumes may be attached in all zones.
     * @default false
     */
    ignoreVolumeZone?: boolean;
    /**
     * Storage classes by name.
     * @default { cinder: { isDefault: true } }
     */
    storageClasses?: Record<string, StorageClassArgs>;
}

/** A storage class of Cinder. */
export interface StorageClassArgs {
    /**
     * Volume type of the cloud.
     * @default the cloud's own
     */
    volumeType?: string;
    /** Availability zone of Cinder. */
    availabilityZone?: string;
    /**
     * File system of the volumes.
     * @default "ext4"
     */
    fsType?: string;
    /**
     * Claims that name no class get this one.
     * @default false
     */
    isDefault?: boolean;
    /**
     * What becomes of a volume whose claim is gone: `Delete` or `Retain`.
     * @default "Delete"
     */
    reclaimPolicy?: string;
    /**
     * `WaitForFirstConsumer` makes the volume where the pod runs, `Immediate` at once.
     * @default "WaitForFirstConsumer"
     */
    volumeBindingMode?: string;
}

import type * as pulumi from "@pulumi/pulumi";
import type { SnapshotClassArgs } from "./snapshot-args";

/** What users write about OpenStack's own components in the cluster. Part of the schema like args.ts. */

/** OpenStack's own components in the cluster: only with `heat` or `nova`. @change step: its pods are replaced */
export interface CloudProviderArgs {
    /**
     * The cloud controller manager: nodes get their zone and are removed when their server is gone; Services of type LoadBalancer get a
     * load balancer of Octavia. Decide before the cluster is made: existing nodes are not initialised later.
     */
    cloudControllerManager?: CloudControllerManagerArgs;
    /** Volumes of Cinder as PersistentVolumes. */
    cinderCsi?: CinderCsiArgs;
    /**
     * Credentials with which they log in to the cloud.
     * @default a restricted application credential is made for the cluster
     */
    credentials?: CloudProviderCredentialsArgs;
    /**
     * Address of Keystone as the nodes reach it: `"https://cloud.site:5000/v3"`.
     * @default the public endpoint of the cloud's catalogue
     * @format url
     */
    authUrl?: pulumi.Input<string>;
    /**
     * Region of the cloud that they use.
     * @default the region of `heat` or `nova`, or that of the catalogue's endpoint
     */
    region?: pulumi.Input<string>;
    /**
     * Certificate of the authority that signed the certificates of the cloud's APIs: PEM text, or the path of a file with it. The setting in
     * clouds.yaml is not used here.
     * @default the public authorities
     * @format text
     */
    caCertificate?: pulumi.Input<string>;
    /**
     * Registry and path that replace registry.k8s.io in the images' names.
     * @default "registry.k8s.io"
     * @format repository
     */
    imageRepository?: string;
}

/** How the cluster's components log in to the cloud. @change step: its pods are replaced */
export interface CloudProviderCredentialsArgs {
    /**
     * Id of an existing application credential.
     * @format cloudId
     */
    applicationCredentialId?: pulumi.Input<string>;
    /**
     * Its secret.
     * @secret
     * @format key
     */
    applicationCredentialSecret?: pulumi.Input<string>;
    /**
     * Roles of the credential that is made.
     * @default all that the user who runs Pulumi has in the project
     * @change again: the application credential, then the pods that log in with it
     */
    roles?: string[];
}

/** OpenStack's cloud controller manager. @change step: its pods are replaced */
export interface CloudControllerManagerArgs {
    /**
     * `false` removes it, unless something in the cluster needs it. Only after that may the program leave it out.
     * @default true
     * @change rolling: it is installed or removed; the kubelet restarts, control-plane nodes first, then the workers, as many of a pool at once as
     * `maxUnavailable` says. Existing nodes are not initialised later
     */
    enabled?: boolean;
    /**
     * Version of its image: `"v1.36.0"`.
     * @default the one that matches Kubernetes
     * @format version
     */
    version?: string;
    /** Load balancers of Services. */
    loadBalancer?: CloudLoadBalancerArgs;
}

/** Octavia's load balancers for Services of type LoadBalancer. */
export interface CloudLoadBalancerArgs {
    /**
     * `false`: Services of type LoadBalancer are ignored, for clouds without Octavia.
     * @default true
     */
    enabled?: boolean;
    /**
     * Id of the external network for floating IPs; required if the cloud has several.
     * @format cloudId
     */
    floatingNetworkId?: string;
    /**
     * Id of a subnet of that network.
     * @format cloudId
     */
    floatingSubnetId?: string;
    /**
     * Id of the load balancers' subnet.
     * @format cloudId
     */
    subnetId?: string;
    /**
     * Id of the load balancers' network, if no subnet is given.
     * @format cloudId
     */
    networkId?: string;
    /**
     * Octavia's provider: `amphora`, `ovn` …
     * @format cloudId
     */
    provider?: string;
    /**
     * ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP; `ovn` has only SOURCE_IP_PORT.
     * @format choice
     */
    method?: string;
    /**
     * Id of Octavia's flavor.
     * @format cloudId
     */
    flavorId?: string;
    /** Octavia's availability zone. */
    availabilityZone?: string;
    /**
     * Load balancers get no floating IP, unless a Service asks for one.
     * @default false
     */
    internal?: boolean;
    /**
     * Whether Octavia monitors the nodes' health.
     * @default false
     */
    createMonitor?: boolean;
    /**
     * Opens the nodes' ports for the load balancers with additional security groups.
     * @default false
     */
    manageSecurityGroups?: boolean;
}

/** Volumes of Cinder. @change step: its pods are replaced */
export interface CinderCsiArgs {
    /**
     * `false` removes it; volumes stay.
     * @default true
     * @change step: it is installed or removed; volumes stay
     */
    enabled?: boolean;
    /**
     * Version of its image: `"v1.36.0"`.
     * @default the one that matches Kubernetes
     * @format version
     */
    version?: string;
    /**
     * For clouds in which Cinder's zones differ from Nova's: volumes may be attached in all zones.
     * @default false
     */
    ignoreVolumeZone?: boolean;
    /**
     * Storage classes by name.
     * @default { cinder: { isDefault: true } }
     * @change step: the class is replaced; volumes and claims stay
     * @keys dnsSubdomain
     */
    storageClasses?: Record<string, StorageClassArgs>;
    /**
     * Classes of snapshots of these volumes, by name; with the first one the driver makes snapshots.
     * @default none
     * @change step: with the first one the driver's controller starts again, to make snapshots; without the last one it makes none: refused while there are
     * snapshots
     * @keys dnsSubdomain
     */
    snapshotClasses?: Record<string, SnapshotClassArgs>;
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
     * File system of the volumes: ext3, ext4, xfs.
     * @default "ext4"
     * @format choice
     */
    fsType?: string;
    /**
     * Claims that name no class use this one.
     * @default false
     */
    isDefault?: boolean;
    /**
     * What happens to a volume whose claim is deleted: `Delete` or `Retain`.
     * @default "Delete"
     * @format choice
     */
    reclaimPolicy?: string;
    /**
     * `WaitForFirstConsumer` creates the volume in the zone where the pod runs, `Immediate` at once.
     * @default "WaitForFirstConsumer"
     * @format choice
     */
    volumeBindingMode?: string;
}

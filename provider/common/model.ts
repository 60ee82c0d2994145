/** The types that components, resources and step factories share. Plain data, stored as inputs of resources. */

export type Role = "controlPlane" | "worker";

/** Where nodes get Kubernetes from: exactly one of these. */
export interface KubernetesSource {
    /** The server's image contains it: versions are verified, nothing is installed. */
    image?: Record<string, never>;
    /** A bundle folder made by `nfv bundle`, on the operator's machine. */
    bundle?: {
        path: string;
        /** Push the images to this registry once instead of importing them on each node. */
        registry?: string;
        /** The files of the bundle's manifest that the node's role needs. */
        files?: BundleFile[];
    };
    /** The Kubernetes community's Debian packages. */
    apt?: { repository?: string; key?: string };
    /** The Kubernetes community's RPM packages. */
    dnf?: { repository?: string; key?: string };
}

/** One file of a bundle, as its manifest lists it. */
export interface BundleFile {
    /** Relative to the bundle's folder: "bin/kubelet", "images/pause.tar". */
    path: string;
    /** `runtime`: containerd and runc. A `manifest` stays on the operator's machine: no role needs it. */
    kind: "binary" | "cni" | "image" | "runtime" | "manifest";
    /** Hexadecimal. */
    sha256: string;
    sizeBytes: number;
    /** Nodes with these roles need the file. */
    roles: Role[];
    /** Images only: the name that pods use, "registry.k8s.io/kube-proxy:v1.36.3". */
    image?: string;
    /** Images only: digest of the OCI manifest, "sha256:…". */
    digest?: string;
    /** Manifests and the runtime: the release that it belongs to, "2.4.2" or "v1.13.6". */
    version?: string;
}

export interface RegistryMirror {
    /** The registry that is mirrored: "registry.k8s.io", or "*" for all. */
    registry: string;
    /** Endpoints in order of preference: "https://mirror.site:5000". */
    endpoints: string[];
    /** PEM of the CA that signed the endpoints' certificates. */
    ca?: string;
    username?: string;
    /** Secret. */
    password?: string;
}

export interface ProxySettings {
    httpProxy?: string;
    httpsProxy?: string;
    /** Added to our own exceptions: node, pod and service networks, the endpoint. */
    noProxy?: string[];
}

/**
 * A stable address of the API: at most one of vip and external. With neither: the only control-plane node, under a name
 * known to the cluster's nodes.
 */
export interface EndpointSpec {
    /** What clients and nodes connect to. */
    host: string;
    port: number;
    /** keepalived moves this address between the control-plane nodes; HAProxy on each of them listens on `port`. */
    vip?: {
        address: string;
        prefixLength: number;
        /** Network interface; empty: the one that has the control-plane node's address. */
        interface: string;
        virtualRouterId: number;
    };
    /** Set if `host` is a name that only the cluster's nodes know: they get this line in /etc/hosts. */
    hostsEntry?: { name: string; address: string };
}

export interface MasterAddress {
    name: string;
    address: string;
}

export interface NetworkSpec {
    podCidr: string;
    serviceCidr: string;
    dnsDomain: string;
}

export interface Taint {
    key: string;
    value?: string;
    effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** The public part of a cluster's identity. */
export interface PublicIdentity {
    /** Identifies the cluster in all our resources; never changes. */
    clusterId: string;
    /**
     * `sha256:…` of the authority's public key. Not the certificate, to save space: the spec of each node has this
     * field.
     */
    caCertHash: string;
    /** Hash of all public parts; fingerprints contain it in place of the keys. */
    fingerprint: string;
}

/** The keys that each control-plane node needs. Secret, all PEM except encryptionKey (base64 of 32 bytes). */
export interface ControlPlaneKeys extends Authorities {
    serviceAccountKey: string;
    serviceAccountPublicKey: string;
    encryptionKey: string;
    /** Name of that key in etcd. Undefined: key1, the key with which the cluster was made. */
    encryptionKeyName?: string;
    /** With a name: keyed hash of the settings with which the cluster was made. In fingerprints it stands for them, so no rotation changes a step. */
    firstEncryption?: string;
    /** Name of the service-account key: the `kid` of its tokens. Undefined: the key with which the cluster was made. */
    serviceAccountKeyName?: string;
    /** With a name: keyed hash of that first key, and its public half. In fingerprints they stand for the key. */
    firstServiceAccountKey?: string;
    firstServiceAccountPublicKey?: string;
    /** After a rotation of the authorities: those with which the cluster was made. Of their private keys the keyed hashes. In fingerprints they stand for all later ones. */
    firstAuthorities?: Authorities;
}

/** The authorities of a cluster: of its API, of etcd, and of requests that an API server passes on. PEM. */
export interface Authorities {
    caCertificate: string;
    caKey: string;
    etcdCaCertificate: string;
    etcdCaKey: string;
    frontProxyCaCertificate: string;
    frontProxyCaKey: string;
}

/** The fields that HostSpec and NodeSpec share. */
interface MachineSpec {
    clusterId: string;
    clusterName: string;
    name: string;
    role: Role;
    /** The node's address in the cluster network (kubelet's node IP). */
    address: string;
    kubernetesVersion: string;
    endpoint: EndpointSpec;
    network: NetworkSpec;
}

/** A machine before it is a node. Nothing here needs another running machine. */
export interface HostSpec extends MachineSpec {
    /** `sha256:…` of the authority's public key: a machine with another one belongs to another cluster. */
    caCertHash: string;
    source: KubernetesSource;
    /** All wanted control-plane nodes: HAProxy's backends and keepalived's peers. */
    masters: MasterAddress[];
    /** keepalived's priority of this control-plane node: 1..254. */
    vrrpPriority?: number;
    /** Served besides `endpoint` until all nodes have moved. Never an input: read from the machine. */
    formerEndpoints?: EndpointSpec[];
    proxy?: ProxySettings;
    registries: RegistryMirror[];
    /** PEM certificates that the system trusts additionally. */
    trustedCertificates: string[];
    /** Additional sysctls. */
    sysctls: Record<string, string>;
    /** The sandbox ("pause") image; empty: the one that this kubeadm wants. */
    sandboxImage: string;
    /** Registry and path of kubeadm's images, if the program gives one: also of the sandbox image that kubeadm names. */
    imageRepository?: string;
    /** Pods mount NFS volumes there. @default false */
    nfsClient?: boolean;
    /** Address of the cluster's storage server, which pods reach by their volumes only. */
    storageServer?: string;
    /** The cloud's metadata service, for pods of this node. @default it stays as it is */
    metadataService?: "closed" | "open";
    /** Kubelet's file of name servers, if the program gives one: a new machine must have it. */
    resolvConf?: string;
    /** The program allows control groups of version 1. */
    oldCgroups?: true;
}

/** The membership of a machine in the cluster. */
export interface NodeSpec extends MachineSpec {
    identity: PublicIdentity;
    /** Control-plane nodes only. Secret. */
    keys?: ControlPlaneKeys;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    taints: Taint[];
    /** Fields of KubeletConfiguration for this node (a kubeadm patch). */
    kubelet: Record<string, unknown>;
    /** Fields of KubeletConfiguration for the whole cluster. */
    clusterKubelet: Record<string, unknown>;
    kubeProxy: Record<string, unknown>;
    /** Additional names and addresses in the API server's certificate. */
    certificateSans: string[];
    imageRepository: string;
    /** component → flag → value. Components: apiServer, controllerManager, scheduler, etcd, kubelet. */
    extraArgs: Record<string, Record<string, string>>;
    /** kubeadm patches: file name ("kube-apiserver+merge") → content. */
    patches: Record<string, string>;
    /** policy: YAML; empty: our default. */
    audit: { enabled: boolean; policy: string };
    encryptionAtRest: { enabled: boolean };
    drain: { timeoutSeconds: number; policy: string };
    /** In days. @default 365 valid, renewed 90 before */
    certificates?: { renewBeforeDays?: number; validityDays?: number };
    /** All nodes get containerd from this run's bundle, before they move to another version. No step and no state has it. */
    runtimeFromBundle?: true;
    /** How long kubelet and each component of the control plane may take to start, in seconds. @default 240 */
    startTimeoutSeconds?: number;
}

/** The words that components, resources and step factories share. All plain data, all of it stored as resource inputs. */

export type Role = "controlPlane" | "worker";

/** Where nodes get Kubernetes from: exactly one of them. */
export interface KubernetesSource {
    /** The server's image has it: versions are verified, nothing is installed. */
    image?: Record<string, never>;
    /** A bundle folder made by `nfv bundle`, on the operator's machine. */
    bundle?: {
        path: string;
        /** Push images once to this registry instead of importing them on every node. */
        registry?: string;
        /** What the node's role needs of the bundle's manifest. */
        files?: BundleFile[];
    };
    /** The community's Debian packages. */
    apt?: { repository?: string; key?: string };
    /** The community's RPM packages. */
    dnf?: { repository?: string; key?: string };
}

/** One file of a bundle, as its manifest lists it. */
export interface BundleFile {
    /** Relative to the bundle's folder: "bin/kubelet". */
    path: string;
    kind: "binary" | "cni" | "image";
    /** Hex. */
    sha256: string;
    sizeBytes: number;
    roles: Role[];
    /** Name of the image in the archive: "registry.k8s.io/kube-proxy:v1.34.4". */
    image?: string;
    /** Digest of its manifest: "sha256:…". */
    digest?: string;
}

export interface RegistryMirror {
    /** Registry that is mirrored: "registry.k8s.io", or "*" for all. */
    registry: string;
    /** Endpoints in order of preference: "https://mirror.site:5000". */
    endpoints: string[];
    /** PEM of the CA that vouches for the endpoints. */
    ca?: string;
    username?: string;
    /** Secret. */
    password?: string;
}

export interface ProxySettings {
    httpProxy?: string;
    httpsProxy?: string;
    /** Added to what we exclude ourselves: node, pod and service networks, the endpoint. */
    noProxy?: string[];
}

/** A stable address of the API. Exactly one of vip, external; none: the only master's address, under a name of the cluster's own. */
export interface EndpointSpec {
    /** What clients and nodes connect to. */
    host: string;
    port: number;
    /** keepalived moves this address between the masters; HAProxy on each of them listens on `port`. */
    vip?: {
        address: string;
        prefixLength: number;
        /** Network interface; empty: the one that has the master's address. */
        interface: string;
        virtualRouterId: number;
    };
    /** Set where `host` is a name that only the cluster's nodes know: they get this line in /etc/hosts. */
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

/** What is public of a cluster's identity. */
export interface PublicIdentity {
    /** Name of the cluster in all of our resources; never changes. */
    clusterId: string;
    /** `sha256:…` of the authority's public key. Not the certificate: each node's spec holds this, and large clusters have many nodes. */
    caCertHash: string;
    /** Hash of all public parts: enters fingerprints in place of the keys. */
    fingerprint: string;
}

/** The keys that every master needs. Secret, all PEM but encryptionKey (base64 of 32 bytes). */
export interface ClusterKeys {
    caCertificate: string;
    caKey: string;
    etcdCaCertificate: string;
    etcdCaKey: string;
    frontProxyCaCertificate: string;
    frontProxyCaKey: string;
    serviceAccountKey: string;
    serviceAccountPublicKey: string;
    encryptionKey: string;
}

/** What is said of a machine before it is a node and after. */
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

/** A machine before it is a node. Nothing here needs another machine to be up. */
export interface HostSpec extends MachineSpec {
    /** `sha256:…` of the authority's public key: a machine that shows another one is another cluster's. */
    caCertHash: string;
    source: KubernetesSource;
    /** All masters that shall exist: HAProxy's backends and keepalived's peers. */
    masters: MasterAddress[];
    /** keepalived's priority of this master: 1..254. */
    vrrpPriority?: number;
    /** Served beside `endpoint` until all nodes have moved. Never an input: the machine itself knows them. */
    formerEndpoints?: EndpointSpec[];
    proxy?: ProxySettings;
    registries: RegistryMirror[];
    /** PEM certificates that the system shall trust. */
    trustedCertificates: string[];
    /** Further sysctls. */
    sysctls: Record<string, string>;
    /** The sandbox ("pause") image; empty: the one that kubeadm of this version wants. */
    sandboxImage: string;
}

/** Membership of a machine in the cluster. */
export interface NodeSpec extends MachineSpec {
    identity: PublicIdentity;
    /** Masters only. Secret. */
    keys?: ClusterKeys;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    taints: Taint[];
    /** Fields of KubeletConfiguration for this node (a kubeadm patch). */
    kubelet: Record<string, unknown>;
    /** Fields of KubeletConfiguration for the whole cluster. */
    clusterKubelet: Record<string, unknown>;
    kubeProxy: Record<string, unknown>;
    /** Extra names and addresses in the API server's certificate. */
    certificateSans: string[];
    imageRepository: string;
    /** component → flag → value. Components: apiServer, controllerManager, scheduler, etcd, kubelet. */
    extraArgs: Record<string, Record<string, string>>;
    /** kubeadm patches: file name ("kube-apiserver+merge") → content. */
    patches: Record<string, string>;
    /** policy: YAML; empty: ours. */
    audit: { enabled: boolean; policy: string };
    encryptionAtRest: { enabled: boolean };
    drain: { timeoutSeconds: number; policy: string };
}

import type * as pulumi from "@pulumi/pulumi";
import type { CertificatesArgs } from "./certificates-args";
import type { CloudProviderArgs } from "./cloud-provider-args";
import type { EndpointArgs } from "./endpoint-args";
import type { EtcdBackupArgs, EtcdRestoreArgs } from "./etcd-args";
import type { HealArgs } from "./heal-args";
import type { HookArgs } from "./hook-args";
import type { HeatArgs, NovaArgs, ServerArgs } from "./infrastructure-args";
import type { Json, NumberOrText } from "./json";
import type { OsArgs } from "./os-args";
import type { ReplaceServersArgs } from "./replace-servers-args";
import type { RestartArgs } from "./restart-args";
import type { RotateArgs } from "./rotate-args";
import type { SnapshotControllerArgs } from "./snapshot-args";
import type { SourceArgs } from "./source-args";
import type { SshArgs } from "./ssh-args";
import type { StorageArgs } from "./storage-args";
import type { TenantsArgs } from "./tenants-args";
import type { UpgradeOrderArgs } from "./upgrade-args";
import type { ServiceAccountArgs } from "./vim-args";

/**
 * What users write. Plain objects only, because other languages will follow: no closures, no unions but `NumberOrText`; alternatives are
 * optional properties of which one is set. Names of machines and pools are plain strings, so that preview knows every resource.
 * `schema.json` and docs/inputs.md are generated from this file: `npx tsx components/schema/write.ts`. `@change` says what a change of the
 * input does to a running cluster; that of an interface holds for its properties without one.
 */

export type { Json, NumberOrText };

/** A highly available Kubernetes cluster. */
export interface KubernetesClusterArgs {
    /**
     * Name of the cluster in kubeconfig, certificates and on the nodes: a DNS label of at most 50 characters. Cannot be changed.
     * @default the resource's name
     * @change refused
     * @format dnsLabel
     */
    clusterName?: string;
    /** Where the servers come from: exactly one of its properties is set. */
    infrastructure: InfrastructureArgs;
    /** The version of Kubernetes, and where the nodes get it from. */
    kubernetes: KubernetesArgs;
    /**
     * The control-plane nodes: how many, the API's stable address, flags of their components.
     * @default one control-plane node with `heat` and `nova`, all machines of `controlPlane` with `hosts`
     */
    controlPlane?: ControlPlaneArgs;
    /**
     * How pods leave a node that is removed or replaced.
     * @default wait for 300 seconds, then stop the operation
     */
    drain?: DrainArgs;
    /**
     * Worker pools by name. The machines are named in `infrastructure`.
     * @keys dnsLabel
     */
    pools?: Record<string, PoolArgs>;
    /**
     * Addresses of pods and Services, and the pod network. Cannot be changed later.
     * @default pods 10.244.0.0/16, Services 10.96.0.0/16, the pod network `bridge`
     */
    network?: NetworkArgs;
    /**
     * Fields of KubeletConfiguration for all nodes: `{ maxPods: 200 }`. `failCgroupV1: false` lets machines with cgroups of version 1 take Kubernetes 1.35 and later.
     * @change rolling: the kubelet restarts, control-plane nodes first, then the workers, as many of a pool at once as `maxUnavailable` says; pods keep
     * running
     * @keys field
     */
    kubelet?: Record<string, Json>;
    /**
     * Fields of KubeProxyConfiguration: `{ mode: "nftables" }`.
     * @change rolling: kube-proxy's pods are replaced, the one of the first control-plane node before the others; their rules stay meanwhile. If it does
     * not work with the new settings, they are withdrawn
     * @keys field
     */
    kubeProxy?: Record<string, Json>;
    /**
     * What those who deploy into namespaces may use beyond them: docs/security.md.
     * @change step: admission policies: they judge what is made or changed from then on; what exists stays
     */
    tenants?: TenantsArgs;
    /** HTTP proxy of the nodes. @change restart: containerd and kubelet */
    proxy?: ProxyArgs;
    /**
     * Registry mirrors by the registry that they replace: `"registry.k8s.io"`, or `"*"` for all.
     * @change step: the next pull uses it
     * @keys registry
     */
    registries?: Record<string, RegistryArgs>;
    /**
     * Certificates of authorities that the nodes' systems trust: PEM text, or paths of files with it.
     * @change step: running programs use it after their next start
     * @format text
     */
    trustedCertificates?: pulumi.Input<string>[];
    /**
     * How long the certificates of the nodes hold, and when `pulumi up` renews them: docs/certificates.md.
     * @default valid for 365 days, renewed when less than 90 of them are left
     */
    certificates?: CertificatesArgs;
    /**
     * Further kernel settings of all nodes: `{ "vm.max_map_count": "262144" }`.
     * @change step: a removed setting keeps its value until the machine reboots
     * @keys sysctl
     */
    sysctls?: Record<string, string>;
    /** Volumes that the cluster's pods share, served by a machine of its own. `{}`: the nodes only get the NFS client. */
    storage?: StorageArgs;
    /** With `heat` or `nova`: OpenStack's own components in the cluster. */
    cloudProvider?: CloudProviderArgs;
    /** The kinds of snapshots (VolumeSnapshot and others) and their controller, which a cluster has once, for all drivers. Classes: `storage.snapshotClasses`, `cloudProvider.cinderCsi.snapshotClasses`. */
    snapshotController?: SnapshotControllerArgs;
    /**
     * Snapshots of etcd, made by the control-plane nodes: docs/backup.md.
     * @change step: the timers start or end; without it the snapshots stay in their repository
     */
    etcdBackup?: EtcdBackupArgs;
    /** Brings a snapshot of `etcdBackup` back on all control-plane nodes, once, when its `run` changes: docs/backup.md. */
    etcdRestore?: EtcdRestoreArgs;
    /** Exchanges keys of the running cluster, each once for each new word: docs/rotation.md. */
    rotate?: RotateArgs;
    /** Upgrades the packages of the nodes' operating system, once for each new word: docs/os-upgrade.md. */
    os?: OsArgs;
    /** Restarts what runs on all nodes, each once for each new id: docs/restart.md. */
    restart?: RestartArgs;
    /** Heals nodes once, when its `run` changes. */
    heal?: HealArgs;
    /** With `nova`: gives nodes new servers once, when its `run` changes, one after another: another image, another flavor. */
    replaceServers?: ReplaceServersArgs;
    /**
     * Steps whose results others may change: `["set kernel parameters"]` on all nodes, `["w2: configure the container runtime"]` on one. A refresh says what
     * differs, and `pulumi up` leaves it. The names are the titles that preview and refresh show: docs/how-it-works.md.
     * @default none: `pulumi up` puts back what a refresh found changed
     * @change nothing: what the last refresh found of a step that is not named any more is put back, one control-plane node after another where that
     * interrupts
     */
    acceptDrift?: string[];
    /** What runs at the events of the cluster's operations, in this order: docs/hooks.md. */
    hooks?: HookArgs[];
    /**
     * What the output `vim` contains: the service account and its rights.
     * @default an account that the cluster makes, with the rights of a VIM
     */
    vim?: ClusterVimArgs;
}

/** Where the servers come from: exactly one property is set. */
export interface InfrastructureArgs {
    /** Machines that exist already and are reached by SSH. */
    hosts?: HostsArgs;
    /** Servers of an OpenStack cloud, created by Heat as one stack. */
    heat?: HeatArgs;
    /** Servers of an OpenStack cloud, created one by one with Nova, Neutron and Cinder. */
    nova?: NovaArgs;
}

/** Machines that exist already. */
export interface HostsArgs {
    /** How all machines are reached; each machine may override single settings. */
    ssh?: SshArgs;
    /**
     * Control-plane nodes by node name.
     * @change membership: refused if no existing control-plane node stays, or if etcd would lose its quorum
     * @keys dnsLabel
     */
    controlPlane: Record<string, MachineArgs>;
    /**
     * Workers: pool name → node name → machine.
     * @change membership
     * @keys dnsLabel dnsLabel
     */
    pools?: Record<string, Record<string, MachineArgs>>;
}

/** One machine. Its name in the map becomes its host name and the name of its node. */
export interface MachineArgs {
    /**
     * IP address in the cluster's network: the kubelet's node address.
     * @change membership: another address is another machine: the old one leaves, the new one joins; refused if no control-plane node would stay
     * @format address
     */
    address: pulumi.Input<string>;
    /** Overrides for this machine. */
    ssh?: SshArgs;
}

/** Version and origin of Kubernetes. */
export interface KubernetesArgs {
    /**
     * Full version, as `"1.36.3"`, of a minor that [versions](versions.md) names as supported.
     * @change rolling: to a later patch or the next minor, in place: first the control-plane nodes, then workers as `maxUnavailable` says, each drained.
     * Refused: a jump over a minor, an earlier version, and one that `source.apt` or `source.dnf` has not. See docs/upgrade.md
     * @format version
     */
    version: string;
    /**
     * Where the nodes get it from: exactly one of its properties is set.
     * @default { image: {} }
     */
    source?: SourceArgs;
    /**
     * Registry and path of the control plane's images, and of the sandbox image where kubeadm names it.
     * @default "registry.k8s.io"
     * @change rolling: API server, controller manager, scheduler, etcd and kube-proxy start from the new images. The run stops at a control-plane node that
     * cannot get its images. containerd restarts where its sandbox image is another one
     * @format repository
     */
    imageRepository?: string;
    /**
     * The sandbox ("pause") image.
     * @default the one that kubeadm of this version uses
     * @change restart: containerd
     * @format image
     */
    sandboxImage?: string;
    /** Where the nodes get containerd and runc from. */
    containerRuntime?: ContainerRuntimeArgs;
    /**
     * How long kubelet and each component of the control plane may take to start, in seconds, from 240 to 3600: more for machines that are slow. kubeadm waits that long,
     * and the startup probes of the static pods allow it.
     * @default 240
     * @change rolling: static pods restart with other startup probes, on one control-plane node after another
     */
    startTimeoutSeconds?: number;
    /** In which order workers move to another version, and where that stops for a look: docs/upgrade.md. */
    upgrade?: UpgradeOrderArgs;
    /**
     * `true`: a new cluster may have a version whose support upstream has ended, and any cluster one that this package does not know, because it is newer or much older: docs/versions.md.
     * @default false: preview refuses them
     * @change nothing: used with the next change of `kubernetes.version`
     */
    allowUnsupportedVersion?: boolean;
}

/** The container runtime of the nodes: containerd with runc. */
export interface ContainerRuntimeArgs {
    /**
     * `distribution`: the packages of the node's system, or what its image has. `bundle`: those of `source.bundle`, for systems that have none or an old one; it was made with
     * `--add-ons container-runtime`.
     * @default "distribution"
     * @change restart: containerd, which the bundle brings. Back to `distribution`: refused
     * @format choice
     */
    from?: string;
}

/** The control-plane nodes. etcd runs on them. */
export interface ControlPlaneArgs {
    /**
     * 1, 3 or 5. With `hosts`: how many of the machines in `infrastructure` are used, by name in natural order.
     * @default all of them; with `heat` and `nova` 1
     * @change membership
     */
    count?: number;
    /**
     * Names of control-plane nodes that leave and stay away: see `pools.NAME.remove`.
     * @change membership: the named nodes leave; a name that is no longer in the list joins again. See docs/how-it-works.md#scale
     * @format dnsLabel
     */
    remove?: string[];
    /**
     * With `heat` or `nova`: the control-plane nodes' flavor, by name or id. Kubernetes needs 2 vCPUs and 2 GiB.
     * @change refused: for existing servers; a new pool may use another value
     */
    flavor?: string;
    /** With `heat` or `nova`: further settings of the control-plane nodes' servers. */
    server?: ServerArgs;
    /**
     * The stable address of the API. Required with several control-plane nodes of `hosts`; with `heat` or `nova` an address of the
     * cluster's network is reserved for it.
     */
    endpoint?: EndpointArgs;
    /**
     * Extra names and addresses in the API server's certificate.
     * @change rolling: the API server loads its new certificate without a restart
     * @format certificateName
     */
    certificateSans?: pulumi.Input<string>[];
    /**
     * Labels of these nodes, besides our own.
     * @change step: those that you remove from the program are removed; those that others have set stay
     * @keys labelKey
     * @format labelValue
     */
    labels?: Record<string, string>;
    /**
     * Annotations of these nodes.
     * @change step: those that you remove from the program are removed; those that others have set stay
     * @keys annotationKey
     * @format text
     */
    annotations?: Record<string, string>;
    /**
     * An empty list allows ordinary pods on control-plane nodes.
     * @default [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }]
     * @change step: NoExecute evicts pods that do not tolerate the taint
     */
    taints?: TaintArgs[];
    /**
     * Fields of KubeletConfiguration for the control-plane nodes.
     * @change rolling: the kubelet restarts; pods keep running
     * @keys field
     */
    kubelet?: Record<string, Json>;
    /**
     * Component → flag → value. Components: apiServer, controllerManager, scheduler, etcd, kubelet.
     * @change rolling: components with changed flags restart. etcd only if all its members are healthy; if it does not start with the new flags, they are
     * withdrawn. Refused: service-cluster-ip-range, etcd-prefix, secure-port, storage-backend, cluster-cidr, allocate-node-cidrs, node-cidr-mask-size,
     * node-cidr-mask-size-ipv4, node-cidr-mask-size-ipv6, data-dir, wal-dir, name, listen-client-urls, listen-peer-urls, initial-advertise-peer-urls,
     * root-dir, hostname-override
     * @keys choice flag
     */
    extraArgs?: Record<string, Record<string, string>>;
    /**
     * kubeadm patches: file name (`"kube-apiserver+merge"`, `"etcd1+strategic"`) → content.
     * @change rolling: patched components restart
     * @keys patch
     * @format text
     */
    patches?: Record<string, string>;
    /**
     * The API server's audit log.
     * @default on, with metadata of all requests
     */
    audit?: AuditArgs;
    /**
     * Whether Secrets are encrypted in etcd.
     * @default on
     */
    encryptionAtRest?: EncryptionAtRestArgs;
}

/** Worker machines with the same settings. */
export interface PoolArgs {
    /**
     * With `hosts`: how many of the machines in `infrastructure` are used, by name in natural order. With `heat` and `nova`: how many servers
     * there are; the one with the highest number is removed first, unless `remove` names others.
     * @default all of them; with `heat` and `nova` 1
     * @change membership
     */
    count?: number;
    /**
     * Whole names of nodes that leave and stay away: `["core-workers-2"]`, with `hosts` `["w2"]`. `count` is the number of those that remain;
     * they keep their names. If fewer remain, the next numbers or machines join: a name returns only when it is taken out of this list.
     * @change membership: the named nodes leave; a name that is no longer in the list joins again. See docs/how-it-works.md#scale
     * @format dnsLabel
     */
    remove?: string[];
    /** With `heat` or `nova`: the flavor of this pool's servers, by name or id. @change refused: for existing servers; a new pool may use another value */
    flavor?: string;
    /** With `heat` or `nova`: further settings of this pool's servers. */
    server?: ServerArgs;
    /**
     * Labels of these nodes, besides our own.
     * @change step: those that you remove from the program are removed; those that others have set stay
     * @keys labelKey
     * @format labelValue
     */
    labels?: Record<string, string>;
    /**
     * Annotations of these nodes.
     * @change step: those that you remove from the program are removed; those that others have set stay
     * @keys annotationKey
     * @format text
     */
    annotations?: Record<string, string>;
    /** Taints of these nodes: only pods that tolerate them run there. @change step: NoExecute evicts pods that do not tolerate the taint */
    taints?: TaintArgs[];
    /**
     * Fields of KubeletConfiguration for the nodes of this pool.
     * @change restart: the kubelet, in this pool only; pods keep running
     * @keys field
     */
    kubelet?: Record<string, Json>;
    /**
     * Further kernel settings of this pool's nodes.
     * @change step: a removed setting keeps its value until the machine reboots
     * @keys sysctl
     */
    sysctls?: Record<string, string>;
    /**
     * How many existing nodes of this pool a run interrupts at once, when it restarts their containerd or kubelet: a number of at least 1, or
     * a percentage of the pool's nodes (`"25%"`), rounded down, at least 1. New nodes do not count and do not wait. After a node failed, no
     * further node of the pool is interrupted in that run.
     * @default 1
     * @change nothing
     * @format share
     */
    maxUnavailable?: NumberOrText;
    /**
     * How pods leave a node of this pool; what it does not say is as in the cluster's `drain`.
     * @default the cluster's `drain`
     */
    drain?: DrainArgs;
}

/** A taint of nodes. */
export interface TaintArgs {
    /**
     * Key of the taint.
     * @format labelKey
     */
    key: string;
    /**
     * Its value.
     * @format labelValue
     */
    value?: string;
    /**
     * NoSchedule, PreferNoSchedule or NoExecute.
     * @format choice
     */
    effect: string;
}

/** The cluster's networks. They cannot be changed later. @change refused */
export interface NetworkArgs {
    /**
     * Addresses of pods.
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
     * @default "bridge", with packages from `apt` or `dnf` "flannel"
     * @format choice
     */
    cni?: string;
    /**
     * With `cni: manifests`: paths of YAML files and of folders of such files (`.yaml`, `.yml`, `.json`, by name), or YAML texts.
     * @change step: applied; objects that are removed from the manifests stay
     * @format text
     */
    cniManifests?: string[];
    /**
     * Whether pods reach the cloud's metadata service (port 80 of 169.254.169.254 and fe80::a9fe:a9fe). It hands out the server's user data, with it the SSH host
     * key that the server got at its first boot: whoever has that key can play the server. Pods with the host's network reach it in any case. Without `true` each
     * node gets a table of nftables, and where it is missing the package nftables.
     * @default with `heat` and `nova` false; with `hosts` the machines stay as they are
     * @change step
     */
    podsReachMetadata?: boolean;
}

/** HTTP proxy of the nodes. */
export interface ProxyArgs {
    /**
     * URL of the proxy for http; a URL with a password is kept secret.
     * @format url
     */
    httpProxy?: pulumi.Input<string>;
    /**
     * URL of the proxy for https; a URL with a password is kept secret.
     * @format url
     */
    httpsProxy?: pulumi.Input<string>;
    /**
     * Further exclusions, besides the nodes, pods, services and the endpoint, which are always excluded. An entry may be a list separated by commas.
     * @format exceptions
     */
    noProxy?: pulumi.Input<string>[];
}

/** Mirrors of a registry. */
export interface RegistryArgs {
    /**
     * In order of preference: `"https://mirror.site:5000"`.
     * @format url
     */
    endpoints: pulumi.Input<string>[];
    /**
     * Certificate of the authority that signed the endpoints' certificates: PEM text, or the path of a file with it.
     * @format text
     */
    ca?: pulumi.Input<string>;
    /** User for the login at the endpoints. */
    username?: pulumi.Input<string>;
    /**
     * The user's password, or a token.
     * @secret
     */
    password?: pulumi.Input<string>;
}

/** The API server's audit log. */
export interface AuditArgs {
    /**
     * Whether the API server writes an audit log.
     * @default true
     * @change rolling: the API server restarts
     */
    enabled?: boolean;
    /**
     * A policy as YAML.
     * @default metadata of all requests, without frequent requests of the system itself
     * @change rolling: the API server restarts; if it cannot read the policy, the previous one is restored, and the run stops at the first control-plane node
     * @format text
     */
    policy?: string;
}

/** Encryption of Secrets in etcd. */
export interface EncryptionAtRestArgs {
    /**
     * Whether Secrets are encrypted.
     * @default true
     * @change rolling: turned on: the API server restarts, and later writes are encrypted. Refused with several control-plane nodes, because those not yet
     * changed could not read Secrets: turn it on with one, then add the others. Turned off: refused
     */
    enabled?: boolean;
}

/** How pods leave a node. @change nothing: a node leaves with the values of the last `up` in which the program contained it */
export interface DrainArgs {
    /**
     * How long to wait for pods to leave, in seconds. After that `policy` decides.
     * @default 300
     */
    timeoutSeconds?: number;
    /**
     * What to do with pods that a PodDisruptionBudget still protects after `timeoutSeconds`:
     * `fail` leaves them and stops the operation, `evict` continues to wait, `delete` removes them.
     * @default "fail"
     * @format choice
     */
    policy?: string;
}

/** What the cluster's Vim contains. */
export interface ClusterVimArgs {
    /** The account whose token the Vim contains. */
    serviceAccount?: ServiceAccountArgs;
    /**
     * Raise the number to get another token; the old one stops working.
     * @default 1
     * @change again: the token; the old one stops working
     */
    tokenGeneration?: number;
}

import type { NodeSpec, Taint } from "../../common/model";
import { toYaml } from "../../common/to-yaml";
import { placeOf } from "../../endpoint/endpoint-change";
import { apiServerFolder, auditLogFolder, auditPolicyFile, encryptionFile, patchesFolder } from "../../kubeadm/paths";
import { needsNewCgroups } from "../../kubernetes/releases";

const apiVersion = "kubeadm.k8s.io/v1beta4";
/** kubeadm reads this version of its configuration since Kubernetes 1.31. */
export const oldestMinor = 31;
const criSocket = "unix:///run/containerd/containerd.sock";

/** Stands for the bootstrap token in the join file. The token exists only on the node, for a short time. */
export const tokenPlaceholder = "@TOKEN@";

interface Argument {
    name: string;
    value: string;
}

/** v1beta4 has arguments as a list. They are sorted, so that the same map gives the same file. */
function args(values: Record<string, string>): Argument[] {
    return Object.entries(values)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => ({ name, value }));
}

/** Taints are always set, also if there are none: otherwise kubeadm would add its own on control-plane nodes. */
function nodeRegistration(spec: NodeSpec, taints: Taint[]): object {
    return {
        name: spec.name,
        criSocket,
        taints,
        kubeletExtraArgs: kubeletExtraArgs(spec),
        ...(bearsOldCgroups(spec) && { ignorePreflightErrors: [systemVerification] }),
    };
}

/** kubeadm's check of the machine. It fails with cgroups of version 1, whatever kubelet's settings say. */
export const systemVerification = "SystemVerification";

/** The program allows cgroups of version 1 to a kubelet that refuses them by itself: kubeadm must not refuse them either. */
export function bearsOldCgroups({ kubernetesVersion, kubelet, clusterKubelet }: NodeSpec): boolean {
    const { failCgroupV1 } = { ...clusterKubelet, ...kubelet } as { failCgroupV1?: unknown };
    return failCgroupV1 === false && needsNewCgroups(kubernetesVersion);
}

export function kubeletExtraArgs(spec: NodeSpec): Argument[] {
    return args({ "node-ip": spec.address, ...spec.extraArgs["kubelet"] });
}

/** What a start takes at most if the program does not say it: kubeadm's own limit for a component of the control plane. */
export const usualStart = 240;

/**
 * kubeadm's deadlines. Its own for a request ends the wait for the first API server after a minute since Kubernetes 1.36. Never less than its
 * own five minutes for what involves other nodes. The first one also becomes the startup probe of static pods.
 */
export function timeouts({ startTimeoutSeconds: seconds = usualStart }: Pick<NodeSpec, "startTimeoutSeconds">): object {
    const start = ["controlPlaneComponentHealthCheck", "kubeletHealthCheck", "kubernetesAPICall", "etcdAPICall"];
    const others = ["discovery", "tlsBootstrap", "upgradeManifests"];
    return Object.fromEntries([
        ...start.map(name => [name, `${seconds}s`]),
        ...others.map(name => [name, `${Math.max(seconds, 300)}s`]),
    ]);
}

const localEndpoint = (spec: NodeSpec) => ({ advertiseAddress: spec.address, bindPort: 6443 });

/** The API server's flags. Audit and encryption at rest are on by default; the user's flags take precedence. */
function apiServer(spec: NodeSpec): object {
    const audit = {
        "audit-policy-file": auditPolicyFile,
        "audit-log-path": `${auditLogFolder}/audit.log`,
        "audit-log-maxage": "30",
        "audit-log-maxbackup": "10",
        "audit-log-maxsize": "100",
    };
    const encryption = {
        "encryption-provider-config": encryptionFile,
        "encryption-provider-config-automatic-reload": "true",
    };
    const mounted = { name: "pulumi-nfv", hostPath: apiServerFolder, mountPath: apiServerFolder, readOnly: true };
    const logs = { name: "audit-log", hostPath: auditLogFolder, mountPath: auditLogFolder };
    return {
        certSANs: certificateSans(spec),
        extraArgs: args({
            ...(spec.audit.enabled ? audit : {}),
            ...(spec.encryptionAtRest.enabled ? encryption : {}),
            ...spec.extraArgs["apiServer"],
        }),
        extraVolumes: [
            ...(spec.audit.enabled || spec.encryptionAtRest.enabled
                ? [{ ...mounted, pathType: "DirectoryOrCreate" }]
                : []),
            ...(spec.audit.enabled ? [{ ...logs, pathType: "DirectoryOrCreate" }] : []),
        ],
    };
}

/**
 * Names in the API server's certificate in addition to those that kubeadm adds for each control-plane node (its name
 * and address, the endpoint, the service address). Other control-plane nodes are left out, so that a new one changes no
 * certificate.
 */
export function certificateSans(spec: NodeSpec): string[] {
    const { endpoint } = spec;
    const own = [endpoint.host, endpoint.vip?.address, endpoint.hostsEntry?.name, "localhost", "127.0.0.1"];
    return [...new Set([...own, ...spec.certificateSans].filter(name => name !== undefined))];
}

function clusterConfiguration(spec: NodeSpec): object {
    const { podCidr, serviceCidr, dnsDomain } = spec.network;
    return {
        apiVersion,
        kind: "ClusterConfiguration",
        kubernetesVersion: `v${spec.kubernetesVersion}`,
        clusterName: spec.clusterName,
        controlPlaneEndpoint: placeOf(spec.endpoint),
        imageRepository: spec.imageRepository || "registry.k8s.io",
        networking: { podSubnet: podCidr, serviceSubnet: serviceCidr, dnsDomain },
        apiServer: apiServer(spec),
        controllerManager: { extraArgs: args(spec.extraArgs["controllerManager"] ?? {}) },
        scheduler: { extraArgs: args(spec.extraArgs["scheduler"] ?? {}) },
        ...(spec.certificates?.validityDays !== undefined && {
            certificateValidityPeriod: `${spec.certificates.validityDays * 24}h`,
        }),
        etcd: { local: { dataDir: "/var/lib/etcd", extraArgs: args(spec.extraArgs["etcd"] ?? {}) } },
    };
}

/** KubeletConfiguration of the whole cluster. A node's own settings come as a kubeadm patch. */
export function kubeletConfiguration(spec: NodeSpec): object {
    return {
        ...spec.clusterKubelet,
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        cgroupDriver: "systemd",
    };
}

function kubeProxyConfiguration(spec: NodeSpec): object {
    return { ...spec.kubeProxy, apiVersion: "kubeproxy.config.k8s.io/v1alpha1", kind: "KubeProxyConfiguration" };
}

/** Configuration for `kubeadm init` and its single phases, with this node as local endpoint. */
export function initConfig(spec: NodeSpec): string {
    const init = {
        apiVersion,
        kind: "InitConfiguration",
        localAPIEndpoint: localEndpoint(spec),
        // The labels step sets taints right after init; here, a changed taint would change this file.
        nodeRegistration: nodeRegistration(spec, []),
        patches: { directory: patchesFolder },
        timeouts: timeouts(spec),
    };
    return toYaml(init, clusterConfiguration(spec), kubeletConfiguration(spec), kubeProxyConfiguration(spec));
}

/**
 * Configuration for `kubeadm join`; the node inserts the token. It is JSON, which kubeadm accepts as well: each node
 * has such a file, no person reads it, and writing YAML takes a hundred times as long.
 */
export function joinConfig(spec: NodeSpec): string {
    return JSON.stringify({
        apiVersion,
        kind: "JoinConfiguration",
        discovery: {
            bootstrapToken: {
                apiServerEndpoint: placeOf(spec.endpoint),
                token: tokenPlaceholder,
                caCertHashes: [spec.identity.caCertHash],
            },
        },
        nodeRegistration: nodeRegistration(spec, spec.taints),
        ...(spec.role === "controlPlane" ? { controlPlane: { localAPIEndpoint: localEndpoint(spec) } } : {}),
        patches: { directory: patchesFolder },
        timeouts: timeouts(spec),
    });
}

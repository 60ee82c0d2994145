import { createHash } from "node:crypto";
import * as path from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import type { TenantsSpec } from "../../provider/admission/tenants-spec";
import type { ClusterNetworkSpec } from "../../provider/cluster/cluster-network";
import type { OperationEndSpec } from "../../provider/cluster/operation-end-inputs";
import { byDigest, ownImages } from "../../provider/common/bundle";
import type {
    BundleFile,
    EndpointSpec,
    HostSpec,
    KubernetesSource,
    MasterAddress,
    NetworkSpec,
    NodeSpec,
    RegistryMirror,
    Role,
    Taint,
} from "../../provider/common/model";
import { decideEndpoint, type EndpointRequest } from "../../provider/endpoint/decide-endpoint";
import { virtualRouterId } from "../../provider/endpoint/virtual-router-id";
import { mirrored } from "../../provider/images/push";
import type { RegistryPlace } from "../../provider/images/registry";
import { renewBeforeDays } from "../../provider/kubeadm/certificate-ends";
import { type Cni, kubectlPathOf } from "../../provider/network/manifests";
import type { KubeObject } from "../../provider/vim";
import type { ControlPlaneArgs, KubernetesClusterArgs, PoolArgs } from "../args/args";
import { drainOf } from "../common/drain";
import { maxUnavailableNodes } from "../common/max-unavailable";
import { cniOf, defaults } from "../common/plain-args";
import type { Addresses, NodeName } from "../infrastructure/infrastructure";
import { metadataService } from "../infrastructure/metadata-service";
import { byName } from "../infrastructure/node-order";

/** A host's spec without the parts of the cluster's identity. */
export type HostDraft = Omit<HostSpec, "clusterId" | "caCertHash">;
/** A node's spec without the parts of the cluster's identity. */
export type NodeDraft = Omit<NodeSpec, "clusterId" | "identity" | "keys">;

/** Nodes, control-plane nodes first, and where they are. */
export interface PlacedNodes {
    nodes: readonly NodeName[];
    addresses: Addresses;
}

/** The specs of all machines, and of what concerns the whole cluster. */
export interface ClusterPlan {
    clusterName: string;
    endpoint: EndpointSpec;
    network: NetworkSpec;
    cni: Omit<ClusterNetworkSpec, "clusterId">;
    /** What the operation waits for at its end. */
    end: Omit<OperationEndSpec, "clusterId" | "nodeIds">;
    /** What is pushed to a registry before the first node exists. */
    bundleImages?: { clusterName: string; registry: RegistryPlace; path: string; files: BundleFile[] };
    masters: MasterAddress[];
    hosts: Record<string, HostDraft>;
    nodes: Record<string, NodeDraft>;
    /** Pool → how many of its existing workers a run interrupts at once. */
    maxUnavailable: Record<string, number>;
    /** Undefined: the default. */
    renewBeforeDays?: number;
}

/** Inputs at the places of plain values. */
type Passed<T> = pulumi.Unwrap<T>;

/** An input that is only moved: where a spec has it, the resource waits for its value. Nothing here may look at it. */
function passed<T>(value: pulumi.Input<T>): T {
    return value as T;
}

/** Files of the operator's machine. */
export interface Files {
    bundleFiles?: BundleFile[];
    /** YAML texts. */
    cniManifests?: string[];
    /** By name. */
    persistentVolumes?: Record<string, KubeObject>;
}

/**
 * All that is known of a cluster before it has keys. Pure, and it only moves values: an address or password that is secret or not known
 * yet passes through unchanged.
 */
export function clusterPlan(
    args: KubernetesClusterArgs,
    defaultName: string,
    { nodes: all, addresses }: PlacedNodes,
    { bundleFiles = [], cniManifests = [] }: Files = {},
): ClusterPlan {
    const clusterName = args.clusterName ?? defaultName;
    const addressOf = (node: string) => passed(addresses.nodes[node]!);
    const masters = all
        .filter(({ role }) => role === "controlPlane")
        .map(({ name }) => ({ name, address: addressOf(name) }));
    // Derived from the name and not from the id: the first preview needs it before the id exists.
    const endpoint = decideEndpoint(clusterName, endpointRequest(args, clusterName, addresses), masters);
    const network: NetworkSpec = {
        podCidr: args.network?.podCidr ?? defaults.podCidr,
        serviceCidr: args.network?.serviceCidr ?? defaults.serviceCidr,
        dnsDomain: args.network?.dnsDomain ?? defaults.dnsDomain,
    };
    const { server } = args.storage ?? {};
    const storage = server && passed(server.address ?? addresses.storage!);
    const common = { clusterName, kubernetesVersion: args.kubernetes.version, endpoint, network };

    const planned: Planned = {
        args,
        bundleFiles,
        addresses,
        masters,
        common,
        addressOf,
        ...(storage !== undefined && { storage }),
    };
    const nodes = Object.fromEntries(all.map(each => [each.name, nodeSpecOf(planned, each)]));
    return {
        clusterName,
        endpoint,
        network,
        cni: {
            cni: cniOf(args) as Cni,
            podCidr: network.podCidr,
            kubectlPath: kubectlPathOf(args.kubernetes.source ?? {}),
            ...podnetImage(args, bundleFiles),
            ...(args.network?.cniManifests && { manifests: cniManifests }),
            ...(endpoint.vip && { virtualAddress: endpoint.vip.address }),
            tenants: tenantsOf(
                args,
                [endpoint.host, ...(addresses.apiHost ? [passed(addresses.apiHost)] : [])],
                storage,
            ),
            coreDnsApart:
                Object.values(nodes)
                    .map(({ taints }) => taints)
                    .filter(takesCoreDns).length > 1,
        },
        end: {
            endpoint,
            nodes: Object.fromEntries(all.map(({ name }) => [name, args.kubernetes.version])),
            waitForNodes: cniOf(args) !== "none",
        },
        ...bundleImagesOf(args, clusterName, bundleFiles),
        masters,
        hosts: Object.fromEntries(all.map(each => [each.name, hostSpecOf(planned, each)])),
        nodes,
        maxUnavailable: maxUnavailableOf(args, all),
        ...(args.certificates && { renewBeforeDays: renewBeforeDays(args) }),
    };
}

/** Facts of the cluster for the spec of each machine. */
interface Planned {
    args: KubernetesClusterArgs;
    bundleFiles: BundleFile[];
    addresses: Addresses;
    masters: MasterAddress[];
    common: Pick<NodeSpec, "clusterName" | "kubernetesVersion" | "endpoint" | "network">;
    /** Address of the storage server. */
    storage?: string;
    addressOf(node: string): string;
}

const groupOf = ({ args }: Planned, pool: string | undefined): PoolArgs | ControlPlaneArgs =>
    (pool === undefined ? (args.controlPlane as ControlPlaneArgs | undefined) : args.pools?.[pool]) ?? {};

function hostSpecOf(planned: Planned, { name, role, pool }: NodeName): HostDraft {
    const { args, bundleFiles, masters, common, storage, addressOf } = planned;
    return {
        ...common,
        name,
        role,
        address: addressOf(name),
        source: sourceOf(args, role, bundleFiles),
        masters,
        ...(role === "controlPlane" && common.endpoint.vip && { vrrpPriority: vrrpPriority(name) }),
        ...(args.proxy && { proxy: args.proxy as Passed<typeof args.proxy> }),
        registries: [...mirrors(args), ...bundleMirrors(args, bundleFiles)],
        trustedCertificates: (args.trustedCertificates ?? []).map(passed),
        sysctls: { ...args.sysctls, ...(pool !== undefined && args.pools?.[pool]?.sysctls) },
        sandboxImage: args.kubernetes.sandboxImage ?? "",
        ...(args.kubernetes.imageRepository !== undefined && { imageRepository: args.kubernetes.imageRepository }),
        ...(args.storage && { nfsClient: true }),
        ...(storage !== undefined && { storageServer: storage }),
        ...metadataService(args),
        ...ofKubelet(args, groupOf(planned, pool)),
    };
}

function nodeSpecOf(planned: Planned, { name, role, pool }: NodeName): NodeDraft {
    const { args, addresses, common, addressOf } = planned;
    const { kubernetes, controlPlane } = args;
    const group = groupOf(planned, pool);
    return {
        ...common,
        name,
        role,
        address: addressOf(name),
        labels: { ...(pool !== undefined && { [defaults.poolLabel]: pool }), ...group.labels },
        annotations: group.annotations ?? {},
        taints: (group.taints as Taint[] | undefined) ?? (pool === undefined ? defaults.controlPlaneTaints : []),
        kubelet: group.kubelet ?? {},
        clusterKubelet: args.kubelet ?? {},
        kubeProxy: args.kubeProxy ?? {},
        certificateSans: [
            ...(controlPlane?.certificateSans ?? []).map(passed),
            ...(addresses.apiHost === undefined ? [] : [passed(addresses.apiHost)]),
        ],
        imageRepository: kubernetes.imageRepository ?? defaults.imageRepository,
        extraArgs: extraArgsOf(args),
        patches: controlPlane?.patches ?? {},
        audit: { enabled: controlPlane?.audit?.enabled ?? true, policy: controlPlane?.audit?.policy ?? "" },
        encryptionAtRest: { enabled: controlPlane?.encryptionAtRest?.enabled ?? true },
        drain: drainOf(args, pool),
        ...(args.certificates && { certificates: args.certificates }),
        ...(kubernetes.containerRuntime?.from === "bundle" && { runtimeFromBundle: true }),
        ...(kubernetes.startTimeoutSeconds !== undefined && { startTimeoutSeconds: kubernetes.startTimeoutSeconds }),
    };
}

/** Kubelet's settings that say which machines are fit for it. */
function ofKubelet(
    { kubelet: ofAll, controlPlane }: KubernetesClusterArgs,
    { kubelet }: PoolArgs | ControlPlaneArgs,
): Pick<HostSpec, "resolvConf" | "oldCgroups"> {
    const { resolvConf, failCgroupV1 } = { ...ofAll, ...kubelet };
    const file = controlPlane?.extraArgs?.["kubelet"]?.["resolv-conf"] ?? resolvConf;
    return {
        ...(typeof file === "string" && file !== "" && { resolvConf: file }),
        ...(failCgroupV1 === false && { oldCgroups: true }),
    };
}

/** `api`: addresses of the API. */
function tenantsOf({ tenants, controlPlane }: KubernetesClusterArgs, api: string[], storage?: string): TenantsSpec {
    const storageServers = storage === undefined ? [] : [storage];
    const taints = (controlPlane?.taints as Taint[] | undefined) ?? defaults.controlPlaneTaints;
    return {
        externalIps: tenants?.externalIps ?? [],
        reserved: [...api, ...storageServers],
        storageServers,
        nfsServers: tenants?.nfsServers ?? [],
        controlPlaneTaints: tenants?.controlPlaneNodes ? [] : taints,
    };
}

function maxUnavailableOf({ pools }: KubernetesClusterArgs, nodes: readonly NodeName[]): Record<string, number> {
    const names = [...new Set(nodes.flatMap(({ pool }) => (pool === undefined ? [] : [pool])))];
    const sizeOf = (name: string) => nodes.filter(({ pool }) => pool === name).length;
    return Object.fromEntries(
        names.map(name => [name, maxUnavailableNodes(pools?.[name]?.maxUnavailable, sizeOf(name))]),
    );
}

function endpointRequest(
    { controlPlane }: KubernetesClusterArgs,
    clusterName: string,
    { vip: made }: PlacedNodes["addresses"],
): EndpointRequest {
    const { vip, external } = controlPlane?.endpoint ?? {};
    if (made !== undefined) {
        const address = passed(made.address);
        // Derived from the user's address or from none: preview plans the steps before the cloud's address is known.
        const routerId = virtualRouterId(clusterName, vip ?? {});
        return { vip: { ...vip, address, prefixLength: passed(made.prefixLength), virtualRouterId: routerId } };
    }
    if (vip?.address === undefined) return { external };
    return { external, vip: { ...vip, address: vip.address } };
}

/** With a cloud controller manager, this manager initialises the nodes. */
function extraArgsOf({ controlPlane, cloudProvider }: KubernetesClusterArgs): Record<string, Record<string, string>> {
    const given = controlPlane?.extraArgs ?? {};
    const manager = cloudProvider?.cloudControllerManager;
    if (manager === undefined || manager.enabled === false) return given;
    return { ...given, kubelet: { "cloud-provider": "external", ...given["kubelet"] } };
}

/** CoreDNS tolerates the control plane's taint and no other. */
function takesCoreDns(taints: Taint[]): boolean {
    return taints.every(
        ({ key, effect }) => effect === "PreferNoSchedule" || key === defaults.controlPlaneTaints[0]?.key,
    );
}

/** 50..249, from the name alone: adding or removing a control-plane node changes no other's setting. In a tie the addresses decide. */
export function vrrpPriority(name: string): number {
    return 50 + (hash(name) % 200);
}

function sourceOf({ kubernetes }: KubernetesClusterArgs, role: Role, files: BundleFile[]): KubernetesSource {
    const { bundle, apt, dnf } = kubernetes.source ?? {};
    if (bundle) {
        // Absolute: the process that uploads runs in the folder of Pulumi.yaml, which may differ from the program's.
        const folder = path.resolve(bundle.path);
        const wanted = ({ kind, roles }: BundleFile) =>
            roles.includes(role) && (kind !== "runtime" || kubernetes.containerRuntime?.from === "bundle");
        return { bundle: { ...bundle, path: folder, files: files.filter(wanted) } };
    }
    if (apt) return { apt };
    if (dnf) return { dnf };
    return { image: {} };
}

function mirrors(args: KubernetesClusterArgs): RegistryMirror[] {
    return byName(args.registries ?? {}).map(([registry, mirror]) => ({
        registry,
        ...(mirror as Passed<typeof mirror>),
    }));
}

/** The bundle's registry, with its authority and login from `registries`. */
function bundleRegistry(args: KubernetesClusterArgs): RegistryPlace | undefined {
    const address = args.kubernetes.source?.bundle?.registry?.replace(/\/+$/, "");
    if (address === undefined) return undefined;
    const host = address.split("/")[0]!;
    const rows = Object.entries(args.registries ?? {});
    const [, known] =
        rows.find(([registry]) => [host, address].includes(registry)) ??
        rows.find(([, { endpoints }]) =>
            endpoints?.some(url => typeof url === "string" && url.replace(/^https:\/\//, "").split("/")[0] === host),
        ) ??
        [];
    const { ca, username, password } = (known ?? {}) as Passed<NonNullable<typeof known>>;
    return {
        address,
        ...(ca !== undefined && { ca }),
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
    };
}

/** Images keep their names: the bundle's registry serves as mirror of the registries in them, except those that the user configured. */
function bundleMirrors(args: KubernetesClusterArgs, files: BundleFile[]): RegistryMirror[] {
    const place = bundleRegistry(args);
    if (place === undefined) return [];
    const { address, ...access } = place;
    const [host, ...prefix] = address.split("/");
    const endpoint = `https://${host}${prefix.length > 0 ? `/v2/${prefix.join("/")}` : ""}`;
    const names = imagesOf(files).map(({ image }) => mirrored(image!).registry);
    return [...new Set(names)]
        .filter(registry => args.registries?.[registry] === undefined)
        .sort()
        .map(registry => ({ registry, endpoints: [endpoint], ...access }));
}

function bundleImagesOf(args: KubernetesClusterArgs, clusterName: string, files: BundleFile[]) {
    const registry = bundleRegistry(args);
    if (registry === undefined) return {};
    const folder = path.resolve(args.kubernetes.source!.bundle!.path);
    return { bundleImages: { clusterName, registry, path: folder, files: imagesOf(files) } };
}

/** Pinned by the bundle's digest, so that no registry or mirror can provide another image. */
function podnetImage(args: KubernetesClusterArgs, files: BundleFile[]): { image?: string } {
    const digest = files.find(({ image }) => image === ownImages.podnet)?.digest;
    return cniOf(args) === "bridge" && digest !== undefined ? { image: byDigest(ownImages.podnet, digest) } : {};
}

function imagesOf(files: BundleFile[]): BundleFile[] {
    return files.filter(({ kind }) => kind === "image");
}

function hash(text: string): number {
    return createHash("sha256").update(text).digest().readUInt32BE(0);
}

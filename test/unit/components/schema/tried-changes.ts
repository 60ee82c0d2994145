import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { clusterArgs, sampleCertificate, sampleKey } from "../sample-args";

type Args = KubernetesClusterArgs;

/** From → to. */
interface Example {
    /** Input → value: what else must be set so that the input has an effect. */
    given?: Record<string, unknown>;
    /** @default the value in `given`, or none */
    from?: unknown;
    /** Undefined removes the input. */
    to: unknown;
    /** Path of the changed input. @default the row's, see `places` */
    at?: string;
}

/** Three control-plane nodes, two pools of two, on existing machines. */
const machines = (): Args => {
    const args = clusterArgs(3, { workers: 2, edge: 2 });
    const hosts = args.infrastructure.hosts!;
    return { ...args, infrastructure: { hosts: { ...hosts, ssh: { user: "ops", agent: "/run/agent" } } } };
};

/** The same on servers of a cloud. */
const servers = (backEnd: "heat" | "nova"): Args => ({
    clusterName: "core",
    infrastructure: { [backEnd]: { image: "debian", flavor: "medium", externalNetwork: "public" } },
    kubernetes: { version: "1.36.3" },
    controlPlane: { count: 3 },
    pools: { workers: { count: 2 }, edge: { count: 2 } },
});

const taint = { key: "gpu", value: "yes", effect: "NoSchedule" };
const withTaint = { "controlPlane.taints": [taint] };
const external = { "controlPlane.endpoint": { external: { host: "api.site", port: 6443 } } };
const mirror = { "registries.*": { endpoints: ["https://mirror:5000"], username: "u", password: "p" } };
const ssh = "infrastructure.hosts.ssh";
const apt = { "kubernetes.source": { apt: {} } };
const bundle = { "kubernetes.source": { bundle: { path: "/bundles/one" } } };
const machine = { address: "10.99.0.77" };
const oneMaster = { "infrastructure.hosts.controlPlane": { m1: { address: "10.99.0.11" } } };
const masters = { m1: { address: "10.99.0.11" }, m2: { address: "10.99.0.12" } };

const fourMasters = {
    "infrastructure.hosts.controlPlane": { ...masters, m3: { address: "10.99.0.13" }, m4: machine },
    "controlPlane.count": 3,
};

const ofMachines: Record<string, Example> = {
    clusterName: { from: "core", to: "other" },
    [`${ssh}.host`]: { to: "10.99.0.99", at: "infrastructure.hosts.controlPlane.m2.ssh.host" },
    [`${ssh}.port`]: { to: 2222 },
    [`${ssh}.user`]: { to: "other" },
    [`${ssh}.privateKey`]: { to: sampleKey },
    [`${ssh}.passphrase`]: { to: "other", given: { [`${ssh}.privateKey`]: sampleKey } },
    [`${ssh}.password`]: { to: "other" },
    [`${ssh}.agent`]: { to: "/run/other" },
    [`${ssh}.hostKey`]: { to: `SHA256:${"A".repeat(43)}` },
    [`${ssh}.jump`]: { to: { host: "10.99.0.98", user: "ops", agent: "/run/agent" } },
    [`${ssh}.connectTimeoutSeconds`]: { to: 5 },
    [`${ssh}.keepAliveSeconds`]: { to: 5 },
    "infrastructure.hosts.controlPlane": { to: { ...masters, m4: machine } },
    "infrastructure.hosts.controlPlane.NAME.address": { to: "10.99.0.77" },
    "infrastructure.hosts.pools": { to: machine, at: "infrastructure.hosts.pools.edge.e9" },
    "kubernetes.version": { to: "1.36.4" },
    "kubernetes.allowUnsupportedVersion": { to: true },
    "kubernetes.source.image.enabled": { to: { apt: {} }, from: { image: {} }, at: "kubernetes.source" },
    "kubernetes.source.bundle.path": { to: "/bundles/two", given: bundle },
    "kubernetes.source.bundle.registry": { to: "mirror:5000", given: bundle },
    "kubernetes.source.apt.repository": { to: "https://mirror/apt", given: apt },
    "kubernetes.source.apt.key": { to: "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", given: apt },
    "kubernetes.imageRepository": { to: "mirror:5000/k8s" },
    "kubernetes.containerRuntime.from": { from: "distribution", to: "bundle", given: bundle },
    "kubernetes.startTimeoutSeconds": { to: 600 },
    "kubernetes.sandboxImage": { to: "mirror:5000/pause:3.10.1" },
    "controlPlane.count": { from: 3, to: 1 },
    "controlPlane.remove": { to: ["m1"], given: fourMasters },
    "controlPlane.endpoint.vip.address": { to: "10.99.0.101" },
    "controlPlane.endpoint.vip.port": { to: 17443 },
    "controlPlane.endpoint.vip.prefixLength": { to: 25 },
    "controlPlane.endpoint.vip.interface": { to: "eth1" },
    "controlPlane.endpoint.vip.virtualRouterId": { from: 7, to: 8 },
    "controlPlane.endpoint.external.host": { to: "other.site", given: external },
    "controlPlane.endpoint.external.port": { to: 8443, given: external },
    "controlPlane.certificateSans": { to: ["api.example.org"] },
    "controlPlane.labels": { to: { a: "b" } },
    "controlPlane.annotations": { to: { a: "b" } },
    "controlPlane.taints": { to: [] },
    "controlPlane.taints[].key": { to: "other", given: withTaint },
    "controlPlane.taints[].value": { to: "other", given: withTaint },
    "controlPlane.taints[].effect": { to: "NoExecute", given: withTaint },
    "controlPlane.kubelet": { to: { maxPods: 50 } },
    "controlPlane.extraArgs": { to: { apiServer: { v: "4" } } },
    "controlPlane.patches": { to: { "kube-apiserver+merge": "metadata: {labels: {a: b}}" } },
    "controlPlane.audit.enabled": { to: false },
    "controlPlane.audit.policy": { to: "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]\n" },
    "controlPlane.encryptionAtRest.enabled": { from: false, to: true, given: oneMaster },
    "pools.NAME.count": { from: 2, to: 1 },
    "pools.NAME.labels": { to: { a: "b" } },
    "pools.NAME.annotations": { to: { a: "b" } },
    "pools.NAME.taints": { to: [taint] },
    "pools.NAME.kubelet": { to: { maxPods: 50 } },
    "pools.NAME.maxUnavailable": { to: "50%" },
    "pools.NAME.sysctls": { to: { "vm.max_map_count": "262144" } },
    "network.podCidr": { to: "10.64.0.0/16" },
    "network.serviceCidr": { to: "10.65.0.0/16" },
    "network.dnsDomain": { to: "other.local" },
    "network.cni": { to: "none" },
    "tenants.externalIps": { to: ["192.0.2.0/28"] },
    "tenants.nfsServers": { to: ["filer.site"] },
    "tenants.controlPlaneNodes": { to: true },
    "network.podsReachMetadata": { to: false },
    "network.cniManifests": { from: ["kind: A"], to: ["kind: B"], given: { "network.cni": "manifests" } },
    kubelet: { to: { maxPods: 50 } },
    kubeProxy: { to: { mode: "nftables" } },
    "proxy.httpProxy": { to: "http://other:3128" },
    "proxy.httpsProxy": { to: "http://other:3128" },
    "proxy.noProxy": { to: ["10.0.0.0/8"], given: { "proxy.httpProxy": "http://proxy:3128" } },
    "registries.NAME.endpoints": { to: ["https://other:5000"], given: mirror },
    "registries.NAME.ca": { to: sampleCertificate, given: mirror },
    "registries.NAME.username": { to: "other", given: mirror },
    "registries.NAME.password": { to: "other", given: mirror },
    trustedCertificates: { to: [sampleCertificate] },
    "certificates.renewBeforeDays": { to: 30 },
    "certificates.validityDays": { to: 730 },
    sysctls: { to: { "vm.max_map_count": "262144" } },
    "pools.NAME.remove": { to: ["edge-1"] },
    "drain.timeoutSeconds": { to: 9 },
    "drain.policy": { to: "evict" },
};

const ofServers: Record<string, Example> = {
    cloud: { to: "other" },
    region: { to: "two" },
    keyPair: { to: "mine", given: { "cloud.ssh": { user: "ops", agent: "/run/agent" } } },
    flavor: { to: "large" },
    image: { to: "ubuntu" },
    metadata: { to: { a: "b" } },
    deleteProtection: { to: true },
    bootTimeoutSeconds: { to: 5 },
    leftovers: { to: "list" },
    externalNetwork: { to: "other" },
};

const given = { "cloud.network": { network: "n1", subnet: "s1" } };
const jump = { "cloud.access": { jumpServer: { flavor: "small", image: "debian" } } };
const boot = { "cloud.server.bootVolume": { sizeGiB: 20 } };
const volume = { "cloud.server.volumes": { data: { sizeGiB: 1, type: "slow" } } };
const second = { "cloud.server.networks": [{ network: "n2", subnet: "s2" }] };

const ofStack: Record<string, Example> = {
    stackName: { to: "other" },
    timeoutMinutes: { to: 5 },
    "template.file": { to: { template: { file: "cluster.yaml" } }, at: "cloud" },
    "network.network": { to: "other", given },
    "network.subnet": { to: "other", given },
    "network.cidr": { to: "10.9.0.0/24" },
    "network.router": { to: "other" },
    "network.dnsServers": { to: ["10.0.0.53"] },
    "network.mtu": { to: 1400 },
    "access.floatingIps": { to: "none" },
    "access.apiFloatingIp": { to: false },
    "access.jumpServer.flavor": { to: "large", given: jump },
    "access.jumpServer.image": { to: "other", given: jump },
    "access.sshCidrs": { to: ["10.0.0.0/8"] },
    "access.apiCidrs": { to: ["10.0.0.0/8"] },
    "access.nodePortCidrs": { to: ["10.0.0.0/8"] },
    "server.image": { to: "ubuntu" },
    "server.availabilityZones": { to: ["a"] },
    "server.serverGroup": { to: "affinity" },
    "server.bootVolume.sizeGiB": { to: 30, given: boot },
    "server.bootVolume.type": { to: "fast", given: boot },
    "server.volumes": { to: { more: { sizeGiB: 1 } } },
    "server.volumes.NAME.sizeGiB": { to: 2, given: volume },
    "server.volumes.NAME.type": { to: "fast", given: volume },
    "server.networks": { to: [{ network: "n2" }] },
    "server.networks[].network": { to: "n3", given: second },
    "server.networks[].subnet": { to: "s3", given: second },
    "server.networks[].port.vnicType": { to: "direct", given: second },
    "server.networks[].port.portSecurity": { to: false, given: second },
    "server.securityGroups": { to: ["mine"] },
    "server.configDrive": { to: true },
    "server.userData": { to: "#cloud-config\n{}\n" },
    "server.metadata": { to: { a: "b" } },
};

const manager = "cloudProvider.cloudControllerManager";

const ofAnyServers: Record<string, Example> = {
    "controlPlane.flavor": { to: "large" },
    "pools.NAME.flavor": { to: "large" },
    [`${manager}.enabled`]: { to: false, given: { [manager]: { enabled: true } } },
};

/** Replacements for the names and lists in a row's name. */
const places: [RegExp, string][] = [
    [/^pools\.NAME/, "pools.edge"],
    [/^registries\.NAME/, "registries.*"],
    [/^(infrastructure\.hosts\.controlPlane)\.NAME/, "$1.m2"],
    [/volumes\.NAME/, "volumes.data"],
    [/\[\]\./, ".0."],
];

const placeOf = (row: string) => places.reduce((name, [pattern, place]) => name.replace(pattern, place), row);

function put(args: Args, path: string, value: unknown): Args {
    const changed = structuredClone(args);
    const keys = path.split(".");
    const place = keys.slice(0, -1).reduce<any>((at, key) => (at[key] ??= {}), changed);
    if (value === undefined) delete place[keys.at(-1)!];
    else place[keys.at(-1)!] = value;
    return changed;
}

/** A change of one input. */
export interface TriedChange {
    before: Args;
    after: Args;
}

function tried(base: Args, row: string, { given = {}, from, to, at }: Example): TriedChange {
    const path = at ?? placeOf(row);
    const whole = Object.entries(given).reduce((args, [place, value]) => put(args, place, value), base);
    const before = from === undefined ? whole : put(whole, path, from);
    return { before, after: put(before, path, to) };
}

/** Examples with the name of a back end in their places. */
function ofBackEnd(backEnd: "heat" | "nova", rows: Record<string, Example>): [string, TriedChange][] {
    const inputs = `infrastructure.${backEnd}`;
    const moved = (path: string) => path.replace(/^cloud\b/, inputs);
    return Object.entries(rows).map(([name, { given, at, ...example }]) => {
        const row = `${inputs}.${name}`;
        const others = Object.entries(given ?? {}).map(([path, value]) => [moved(path), value]);
        const whole = { ...example, given: Object.fromEntries(others), ...(at !== undefined && { at: moved(at) }) };
        return [row, tried(servers(backEnd), row, whole)];
    });
}

/** Row of docs/inputs.md → a change of it. */
export const triedChanges: Record<string, TriedChange> = Object.fromEntries([
    ...Object.entries(ofMachines).map(([row, example]) => [row, tried(machines(), row, example)]),
    ...ofBackEnd("nova", ofServers),
    ...ofBackEnd("heat", { ...ofServers, ...ofStack }),
    ...Object.entries(ofAnyServers).map(([row, example]) => [row, tried(servers("heat"), row, example)]),
]);

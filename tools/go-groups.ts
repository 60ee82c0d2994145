import type { GoGroup } from "./go-group";
import { newest } from "./go-version";
import { pulumiGroups } from "./pulumi-groups";

/** The groups that make up a tool. */
export function goGroups(name: string, version: string): GoGroup[] {
    return table[name]?.(version) ?? [];
}

/** What a tool's code is if it was built from Go modules, where its version alone would say something else. */
export function builtCode(name: string, version: string): string | undefined {
    return goGroups(name, version).flatMap(({ code }) => code ?? [])[0];
}

/** The oldest Go that builds a tool, as far as it is known before its modules are fetched. */
export function oldestGo(name: string, version: string): string | undefined {
    return newest(goGroups(name, version).flatMap(group => group.goVersion ?? group.oldestGo ?? []));
}

const clusterApi = "sigs.k8s.io/cluster-api";
const containerd = "github.com/containerd/containerd/v2";
const runc = "github.com/opencontainers/runc";

const table: Record<string, (version: string) => GoGroup[]> = {
    ...pulumiGroups,
    kubernetes: version => [
        {
            name: "kubernetes",
            ...(version.startsWith("1.36.") && { oldestGo: "1.26.0" }),
            requires: [`k8s.io/kubernetes@v${version}`],
            like: { module: `k8s.io/kubernetes@v${version}`, stagingVersion: version.replace(/^1\./, "v0.") },
            programs: Object.fromEntries(
                Object.entries({
                    "kube-apiserver": 200,
                    kubelet: 45,
                    kubeadm: 16,
                    kubectl: 20,
                    "kube-controller-manager": 26,
                    "kube-scheduler": 4,
                    "kube-proxy": 7,
                }).map(([program, usualSeconds]) => [
                    program,
                    { package: `k8s.io/kubernetes/cmd/${program}`, usualSeconds },
                ]),
            ),
            stamps: ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap(place =>
                Object.entries(kubernetesStamps(version)).map(([field, value]) => `${place}.${field}=${value}`),
            ),
        },
    ],
    etcd: version => [
        {
            name: "etcd",
            goVersion: /^3\.[56]\./.test(version) ? "1.25.0" : "1.26.0",
            requires: ["server", "etcdctl", "etcdutl"].map(part => etcdModule(part, version)),
            programs: {
                etcd: { package: "go.etcd.io/etcd/server/v3", usualSeconds: 50 },
                etcdctl: { package: "go.etcd.io/etcd/etcdctl/v3", usualSeconds: 2 },
                etcdutl: { package: "go.etcd.io/etcd/etcdutl/v3", usualSeconds: 1 },
            },
            stamps: ["go.etcd.io/etcd/api/v3/version.GitSHA=none"],
        },
    ],
    coredns: version => [
        {
            name: "coredns",
            goVersion: "1.25.0",
            requires: [`github.com/coredns/coredns@v${version}`],
            programs: { coredns: { package: "github.com/coredns/coredns", usualSeconds: 105 } },
            stamps: ["github.com/coredns/coredns/coremain.GitCommit=none"],
        },
    ],
    cni: version => [
        {
            name: "cni",
            goVersion: "1.24.2",
            requires: [`github.com/containernetworking/plugins@v${version}`],
            programs: Object.fromEntries(
                ["main/bridge", "ipam/host-local", "main/loopback", "meta/portmap"].map(path => [
                    path.split("/")[1],
                    { package: `github.com/containernetworking/plugins/plugins/${path}`, usualSeconds: 5 },
                ]),
            ),
            stamps: [`github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=v${version}`],
        },
    ],
    containerd: version => [
        {
            name: "containerd",
            goVersion: "1.26.0",
            requires: [`${containerd}@v${version}`],
            programs: {
                containerd: { package: `${containerd}/cmd/containerd`, usualSeconds: 90 },
                "containerd-shim-runc-v2": { package: `${containerd}/cmd/containerd-shim-runc-v2`, usualSeconds: 10 },
                ctr: { package: `${containerd}/cmd/ctr`, usualSeconds: 15 },
            },
            // snapshotters of nobody here, which need C libraries
            tags: ["no_btrfs", "no_devmapper", "no_zfs"],
            stamps: [`${containerd}/version.Version=v${version}`, `${containerd}/version.Revision=none`],
        },
    ],
    runc: version => [
        {
            name: "runc",
            goVersion: "1.25.0",
            requires: [`${runc}@v${version}`],
            programs: { runc: { package: runc, usualSeconds: 20 } },
            tags: ["netgo", "osusergo", "seccomp"],
            linked: { packages: ["libseccomp-dev"], library: "seccomp" },
            stamps: [`main.version=${version}`],
        },
    ],
    "cluster-api": version => [
        {
            name: "cluster-api",
            goVersion: "1.25.0",
            requires: [`${clusterApi}@v${version}`],
            programs: {
                "cluster-api-controller": { package: clusterApi, usualSeconds: 200 },
                "kubeadm-bootstrap-controller": { package: `${clusterApi}/bootstrap/kubeadm`, usualSeconds: 6 },
                "kubeadm-control-plane-controller": { package: `${clusterApi}/controlplane/kubeadm`, usualSeconds: 10 },
                clusterctl: { package: `${clusterApi}/cmd/clusterctl`, usualSeconds: 25 },
            },
            files: {
                module: `${clusterApi}@v${version}`,
                folders: {
                    "core-config": "config",
                    "bootstrap-config": "bootstrap/kubeadm/config",
                    "control-plane-config": "controlplane/kubeadm/config",
                },
            },
            stamps: Object.entries(kubernetesStamps(version)).map(
                ([field, value]) => `${clusterApi}/version.${field}=${value}`,
            ),
        },
    ],
    "csi-attacher": version => csiSidecar("csi-attacher", `github.com/kubernetes-csi/external-attacher/v4@v${version}`),
    "csi-resizer": version => csiSidecar("csi-resizer", `github.com/kubernetes-csi/external-resizer/v2@v${version}`),
    "external-snapshotter": version =>
        csiSidecar("external-snapshotter", `github.com/kubernetes-csi/external-snapshotter/v8@v${version}`, [
            "csi-snapshotter",
            "snapshot-controller",
        ]),
};

/** What programs of Kubernetes' projects report as their version. */
function kubernetesStamps(version: string): Record<string, string> {
    return {
        gitVersion: `v${version}`,
        gitMajor: version.split(".")[0],
        gitMinor: version.split(".")[1],
        gitCommit: "none",
        gitTreeState: "clean",
        buildDate: "1970-01-01T00:00:00Z",
    };
}

function csiSidecar(name: string, module: string, programs: string[] = [name]): GoGroup[] {
    const [path, version] = module.split("@");
    return [
        {
            name,
            goVersion: "1.26.0",
            requires: [module],
            programs: Object.fromEntries(
                programs.map(program => [program, { package: `${path}/cmd/${program}`, usualSeconds: 60 }]),
            ),
            stamps: [`main.version=${version}`],
        },
    ];
}

function etcdModule(part: string, version: string): string {
    return `go.etcd.io/etcd/${part}/v3@v${version}`;
}

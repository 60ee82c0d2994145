import { toYaml } from "../common/to-yaml";

const flannelVersion = "v0.28.4";

export interface FlannelSpec {
    podCidr: string;
    /** @default ghcr.io/flannel-io/flannel */
    image?: string;
    /** Installs flannel's own plugin into /opt/cni/bin. @default ghcr.io/flannel-io/flannel-cni-plugin */
    pluginImage?: string;
}

const name = "kube-flannel";
const namespace = "kube-flannel";

/** flannel over VXLAN, for nodes that do not share one network segment. Nodes must be able to pull its images. */
export function flannelManifest(spec: FlannelSpec): string {
    const images = {
        image: `${spec.image ?? "ghcr.io/flannel-io/flannel"}:${flannelVersion}`,
        pluginImage: `${spec.pluginImage ?? "ghcr.io/flannel-io/flannel-cni-plugin"}:v1.9.0-flannel1`,
    };
    return toYaml(...rights, settings(spec), {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "kube-flannel-ds", namespace },
        spec: {
            selector: { matchLabels: { app: name } },
            template: { metadata: { labels: { app: name } }, spec: podSpec(images) },
        },
    });
}

const rights = [
    {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "privileged" } },
    },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "flannel", namespace } },
    {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "flannel" },
        rules: [
            { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
            { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
            { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
        ],
    },
    {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "flannel" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "flannel" },
        subjects: [{ kind: "ServiceAccount", name: "flannel", namespace }],
    },
];

const settings = ({ podCidr }: FlannelSpec) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kube-flannel-cfg", namespace },
    data: {
        "cni-conf.json": JSON.stringify(cniConfig),
        "net-conf.json": JSON.stringify({
            Network: podCidr,
            EnableNFTables: false,
            Backend: { Type: "vxlan" },
        }),
    },
});

const cniConfig = {
    name: "cbr0",
    cniVersion: "0.3.1",
    plugins: [
        { type: "flannel", delegate: { hairpinMode: true, isDefaultGateway: true } },
        { type: "portmap", capabilities: { portMappings: true } },
    ],
};

const fromField = (variable: string, fieldPath: string) => ({
    name: variable,
    valueFrom: { fieldRef: { fieldPath } },
});
const hostPath = (volumeName: string, path: string, type: string) => ({
    name: volumeName,
    hostPath: { path, type },
});

const podSpec = ({ image, pluginImage }: { image: string; pluginImage: string }) => ({
    serviceAccountName: "flannel",
    hostNetwork: true,
    priorityClassName: "system-node-critical",
    tolerations: [{ operator: "Exists" }],
    initContainers: [
        {
            name: "install-cni-plugin",
            image: pluginImage,
            command: ["cp", "-f", "/flannel", "/opt/cni/bin/flannel"],
            volumeMounts: [{ name: "cni-plugin", mountPath: "/opt/cni/bin" }],
        },
        {
            name: "install-cni",
            image,
            command: ["cp", "-f", "/etc/kube-flannel/cni-conf.json", "/etc/cni/net.d/10-flannel.conflist"],
            volumeMounts: [
                { name: "cni", mountPath: "/etc/cni/net.d" },
                { name: "flannel-cfg", mountPath: "/etc/kube-flannel/" },
            ],
        },
    ],
    containers: [
        {
            name: "kube-flannel",
            image,
            command: ["/opt/bin/flanneld", "--ip-masq", "--kube-subnet-mgr"],
            env: [
                fromField("POD_NAME", "metadata.name"),
                fromField("POD_NAMESPACE", "metadata.namespace"),
                { name: "EVENT_QUEUE_DEPTH", value: "5000" },
            ],
            resources: { requests: { cpu: "100m", memory: "50Mi" } },
            securityContext: { privileged: false, capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
            volumeMounts: [
                { name: "run", mountPath: "/run/flannel" },
                { name: "flannel-cfg", mountPath: "/etc/kube-flannel/" },
                { name: "xtables-lock", mountPath: "/run/xtables.lock" },
            ],
        },
    ],
    volumes: [
        hostPath("run", "/run/flannel", "DirectoryOrCreate"),
        hostPath("cni-plugin", "/opt/cni/bin", "DirectoryOrCreate"),
        hostPath("cni", "/etc/cni/net.d", "DirectoryOrCreate"),
        { name: "flannel-cfg", configMap: { name: "kube-flannel-cfg" } },
        hostPath("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
    ],
});

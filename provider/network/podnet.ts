import { ownImages } from "../common/bundle";
import { toYaml } from "../common/to-yaml";
import { readScript } from "../shell/script-file";

/** Marks our routes, so that other routes on the node are never touched. podnet.sh has the same number. */
export const routeMetric = 4244;

export interface PodnetSpec {
    podCidr: string;
    /**
     * Path of the node's kubectl, which the pods use: "/usr/local/bin/kubectl" (bundle), "/usr/bin/kubectl" (packages,
     * images).
     */
    kubectlPath: string;
    /** With the digest if a bundle has it. @default pulumi-nfv.invalid/podnet:1 */
    image?: string;
}

/** Not by `script`: it runs in a pod, so it gets no constants. */
const program = readScript("network/podnet.sh").body;

/** The CNI configuration of a node; the program inserts the node's own subnet. */
const conflist = JSON.stringify({
    cniVersion: "0.4.0",
    name: "podnet",
    plugins: [
        {
            type: "bridge",
            bridge: "cni0",
            isGateway: true,
            ipMasq: false,
            hairpinMode: true,
            ipam: { type: "host-local", ranges: [[{ subnet: "@SUBNET@" }]], routes: [{ dst: "0.0.0.0/0" }] },
        },
        { type: "portmap", capabilities: { portMappings: true } },
    ],
});

/**
 * A pod network of plain files, without tunnels and without a routing daemon: a bridge on each node, and routes to the
 * pods of other nodes. For nodes that share one network segment. Works offline.
 */
export function podnetManifest(spec: PodnetSpec): string {
    const name = "podnet";
    const metadata = { name, namespace: "kube-system" };
    const volume = (volumeName: string, path: string, type: string) => ({ name: volumeName, hostPath: { path, type } });
    const parts = [
        { apiVersion: "v1", kind: "ServiceAccount", metadata },
        {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "ClusterRole",
            metadata: { name },
            rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] }],
        },
        {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "ClusterRoleBinding",
            metadata: { name },
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
            subjects: [{ kind: "ServiceAccount", ...metadata }],
        },
        { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "podnet.sh": program, conflist } },
        {
            apiVersion: "apps/v1",
            kind: "DaemonSet",
            metadata,
            spec: {
                selector: { matchLabels: { app: name } },
                updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "100%" } },
                template: {
                    metadata: { labels: { app: name } },
                    spec: {
                        serviceAccountName: name,
                        hostNetwork: true,
                        priorityClassName: "system-node-critical",
                        terminationGracePeriodSeconds: 1,
                        tolerations: [{ operator: "Exists" }],
                        containers: [
                            {
                                name,
                                image: spec.image ?? ownImages.podnet,
                                imagePullPolicy: "IfNotPresent",
                                command: ["sh", "/program/podnet.sh"],
                                env: [
                                    { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                                    { name: "POD_CIDR", value: spec.podCidr },
                                    { name: "CONFLIST", valueFrom: { configMapKeyRef: { name, key: "conflist" } } },
                                ],
                                resources: { requests: { cpu: "10m", memory: "20Mi" } },
                                securityContext: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
                                volumeMounts: [
                                    { name: "program", mountPath: "/program" },
                                    { name: "cni", mountPath: "/host/etc/cni/net.d" },
                                    { name: "kubectl", mountPath: "/host/kubectl", readOnly: true },
                                    { name: "xtables-lock", mountPath: "/run/xtables.lock" },
                                ],
                            },
                        ],
                        volumes: [
                            { name: "program", configMap: { name } },
                            volume("cni", "/etc/cni/net.d", "DirectoryOrCreate"),
                            volume("kubectl", spec.kubectlPath, "File"),
                            volume("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
                        ],
                    },
                },
            },
        },
    ];
    return toYaml(...parts);
}

import type { KubeObject } from "../../provider/vim";

/** The namespace of the account that a Vim hands out. */
export const ownNamespace = "nfv";

/** What a tenant could wish to reach. */
export interface Targets {
    /** Addresses of nodes, of the API and of the storage server. */
    addresses: { controlPlane: string; worker: string; api: string; storage: string };
    /** Name of a control-plane node, which has its taint. */
    controlPlaneNode: string;
    image: string;
}

/** What a tenant tries to make, and what must refuse it. */
export interface Attempt {
    title: string;
    object: KubeObject;
    refusedBy: RegExp;
}

const metadata = (name: string) => ({ name, namespace: ownNamespace });

export const podOf = (name: string, image: string, spec: object, command = ["sleep", "600"]): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata(name), labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image, command }], ...spec },
});

export const serviceOf = (name: string, spec: object, port = 80): KubeObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(name),
    spec: { selector: { app: "catcher" }, ports: [{ name: "main", port, targetPort: 8080 }], ...spec },
});

/** Objects that act outside of the namespace of whoever makes them. */
export function attempts({ addresses, controlPlaneNode, image }: Targets): Attempt[] {
    const { controlPlane, worker, api, storage } = addresses;
    const takes = (title: string, address: string, port: number): Attempt => ({
        title: `the traffic for ${title}, by a Service's externalIPs`,
        object: serviceOf("catcher", { externalIPs: [address] }, port),
        // The virtual address has a policy of its own, which may be the first to answer.
        refusedBy: /externalIPs.*(tenants\.externalIps|is the virtual address)/,
    });
    const pod = (title: string, refusedBy: RegExp, spec: object): Attempt => ({
        title,
        object: podOf("reaching", image, spec),
        refusedBy,
    });
    const volume = (source: object) => ({ volumes: [{ name: "data", ...source }] });
    const byClaim = /spec\.volumes: .*by a claim/;
    const podSecurity = /violates PodSecurity "baseline/;
    const noRight = /is forbidden: User .* cannot create/;
    return [
        takes("the API server", controlPlane, 6443),
        takes("etcd's members", controlPlane, 2380),
        takes("the SSH server of a node", worker, 22),
        takes("the API by its stable address", api, 16443),
        takes("the storage server", storage, 2049),
        // Since 1.36 the API server itself takes no such notation.
        { ...takes("an address in another notation", `::ffff:${worker}`, 22), refusedBy: /externalIPs/ },
        takes("any address outside", "192.0.2.1", 443),
        {
            title: "the address of a node, by a Service's loadBalancerIP",
            object: serviceOf("catcher", { type: "LoadBalancer", loadBalancerIP: worker }, 22),
            refusedBy: /loadBalancerIP.*tenants\.externalIps/,
        },
        {
            title: "an address that others reach by its own Endpoints",
            object: { apiVersion: "v1", kind: "Endpoints", metadata: metadata("catcher"), subsets: [] },
            refusedBy: noRight,
        },
        {
            title: "an address that others reach by its own EndpointSlice",
            object: {
                apiVersion: "discovery.k8s.io/v1",
                kind: "EndpointSlice",
                metadata: metadata("catcher"),
                addressType: "IPv4",
                endpoints: [{ addresses: [storage] }],
                ports: [{ name: "main", port: 2049 }],
            },
            refusedBy: noRight,
        },
        pod("all exports, by a volume of the pod itself", byClaim, volume({ nfs: { server: storage, path: "/" } })),
        pod(
            "a target of the storage network, by iscsi",
            byClaim,
            volume({ iscsi: { targetPortal: storage, iqn: "iqn.2026-11.test:a", lun: 0 } }),
        ),
        pod(
            "an image of Ceph, by rbd",
            byClaim,
            volume({ rbd: { monitors: [storage], image: "a", pool: "rbd", user: "admin" } }),
        ),
        pod("a file system of Ceph", byClaim, volume({ cephfs: { monitors: [storage] } })),
        pod("a volume of the cloud, by its id", byClaim, volume({ cinder: { volumeID: "5c1d0e7a" } })),
        pod("a driver of the node", byClaim, volume({ flexVolume: { driver: "example.com/a" } })),
        pod("a program of the node, by a repository", byClaim, volume({ gitRepo: { repository: "x" } })),
        pod("files of the node", podSecurity, volume({ hostPath: { path: "/" } })),
        pod("the network of the node", podSecurity, { hostNetwork: true }),
        pod("a port of the node", podSecurity, {
            containers: [{ name: "main", image, ports: [{ containerPort: 22, hostPort: 22 }] }],
        }),
        pod("the place of system pods, by priority", /spec\.priorityClassName/, {
            priorityClassName: "system-node-critical",
        }),
        pod("a control-plane node, by name", /spec\.nodeName/, { nodeName: controlPlaneNode }),
        pod("control-plane nodes, by tolerating all taints", /spec\.tolerations/, {
            tolerations: [{ operator: "Exists" }],
        }),
        pod("control-plane nodes, by tolerating their taint", /spec\.tolerations/, {
            tolerations: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule", operator: "Exists" }],
        }),
        ...clusterWide.map(object => ({ title: `a ${object.kind}`, object, refusedBy: noRight })),
        {
            title: "plugins that run as root on nodes, by a NetworkAttachmentDefinition",
            object: {
                apiVersion: "k8s.cni.cncf.io/v1",
                kind: "NetworkAttachmentDefinition",
                metadata: metadata("root"),
                spec: { config: "{}" },
            },
            refusedBy: noRight,
        },
        {
            title: "the address of a node, by a Gateway",
            object: {
                apiVersion: "gateway.networking.k8s.io/v1",
                kind: "Gateway",
                metadata: metadata("catcher"),
                spec: { gatewayClassName: "a", listeners: [{ name: "a", port: 22, protocol: "TCP" }] },
            },
            refusedBy: noRight,
        },
    ];
}

/** Kinds of the whole cluster. The API asks for the right before it looks at the content. */
const clusterWide: KubeObject[] = [
    { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "all" }, spec: {} },
    { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "all" }, provisioner: "nfs.csi.k8s.io" },
    { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "first" }, value: 1_000_000 },
    { apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name: "all" }, spec: {} },
    {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "MutatingWebhookConfiguration",
        metadata: { name: "all" },
    },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "unguarded" } },
];

/** The definitions without which an API server does not know these kinds. */
export const definitions: KubeObject[] = [
    ["k8s.cni.cncf.io", "NetworkAttachmentDefinition", "network-attachment-definitions"],
    ["gateway.networking.k8s.io", "Gateway", "gateways"],
].map(([group, kind, plural]) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
        name: `${plural}.${group}`,
        // The API server asks for it in groups of the Kubernetes project.
        annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
    },
    spec: {
        group,
        scope: "Namespaced",
        names: { kind, plural },
        versions: [
            {
                name: "v1",
                served: true,
                storage: true,
                schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
        ],
    },
}));

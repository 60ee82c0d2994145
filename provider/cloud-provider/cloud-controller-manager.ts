import {
    clusterRights,
    daemonSet,
    defaultRepository,
    localRights,
    masterLabel,
    rule,
    serviceAccount,
} from "../common/add-on-objects";
import { cloudImage } from "./images";
import { cloudConfigFlag, configMount, configVolume } from "./objects";

export interface CloudControllerManagerSpec {
    /** Part of the load balancers' names in the cloud; orphaned load balancers of the cluster are found by it. */
    /** Marks what is created in the cloud, so that another cluster of the same name does not take it for its own. */
    clusterId: string;
    /** "v1.36.0". */
    version: string;
    /** @default registry.k8s.io */
    imageRepository?: string;
}

export const cloudControllerManagerName = "openstack-cloud-controller-manager";
const account = cloudControllerManagerName;
const roleName = `pulumi-nfv:${account}`;

const rules = [
    rule("coordination.k8s.io", "leases", "get", "create", "update"),
    rule("", "events", "create", "patch", "update"),
    rule("", "nodes", "get", "list", "watch", "patch", "update", "delete"),
    rule("", "nodes/status", "patch", "update"),
    rule("", "services", "get", "list", "watch", "patch", "update"),
    rule("", "services/status", "patch", "update"),
    rule("", "endpoints", "get", "list", "watch"),
    rule("discovery.k8s.io", "endpointslices", "get", "list", "watch"),
];

/**
 * OpenStack's cloud controller manager. It gives nodes their provider id, zone and addresses, removes nodes whose
 * server is gone, and creates load balancers for Services. Its Secret is secretManifest().
 */
export function cloudControllerManager(spec: CloudControllerManagerSpec): object[] {
    const labels = { "k8s-app": cloudControllerManagerName };
    const container = {
        name: cloudControllerManagerName,
        image: cloudImage(spec.imageRepository ?? defaultRepository, "cloudControllerManager", spec.version),
        args: [
            "/bin/openstack-cloud-controller-manager",
            "--v=1",
            "--cloud-provider=openstack",
            cloudConfigFlag,
            `--cluster-name=${spec.clusterId}`,
            "--leader-elect=true",
            "--use-service-account-credentials=false",
            "--bind-address=127.0.0.1",
        ],
        resources: { requests: { cpu: "100m", memory: "64Mi" } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        volumeMounts: [configMount],
    };
    return [
        serviceAccount(account),
        ...clusterRights(roleName, account, rules),
        // The manager authenticates requests to its own port with this.
        ...localRights(`${roleName}:authentication`, account, "extension-apiserver-authentication-reader"),
        daemonSet(cloudControllerManagerName, labels, {
            serviceAccountName: account,
            priorityClassName: "system-cluster-critical",
            // Until it has run, nodes have no other network.
            hostNetwork: true,
            securityContext: { runAsUser: 1001, runAsNonRoot: true },
            nodeSelector: { [masterLabel]: "" },
            tolerations: [
                // Only this pod removes this taint.
                { key: "node.cloudprovider.kubernetes.io/uninitialized", operator: "Exists" },
                { key: "node.kubernetes.io/not-ready", operator: "Exists" },
                { key: "node.kubernetes.io/network-unavailable", operator: "Exists" },
                // Users may set any taint on control-plane nodes.
                { operator: "Exists" },
            ],
            containers: [container],
            volumes: [configVolume],
        }),
    ];
}

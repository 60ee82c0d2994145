import { cloudImage, defaultRepository } from "./images";
import {
    cloudConfigFlag,
    clusterRights,
    configMount,
    configVolume,
    daemonSet,
    localRights,
    masterLabel,
    rule,
    serviceAccount,
} from "./objects";

export interface CloudControllerManagerSpec {
    /** Names load balancers in the cloud; the cluster's leftovers are found by it. */
    /** Marks what is made in the cloud: another cluster of the same name must never take it for its own. */
    clusterId: string;
    /** "v1.34.1". */
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
 * OpenStack's cloud controller manager: gives nodes their provider id, zone and addresses, removes those whose server is gone, and
 * makes load balancers for Services. Its Secret is secretManifest().
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
        // How requests to its own port are recognised.
        ...localRights(`${roleName}:authentication`, account, "extension-apiserver-authentication-reader"),
        daemonSet(cloudControllerManagerName, labels, {
            serviceAccountName: account,
            priorityClassName: "system-cluster-critical",
            // Nodes have no other network before it has run.
            hostNetwork: true,
            securityContext: { runAsUser: 1001, runAsNonRoot: true },
            nodeSelector: { [masterLabel]: "" },
            tolerations: [
                // The taint that nobody but this pod takes away.
                { key: "node.cloudprovider.kubernetes.io/uninitialized", operator: "Exists" },
                { key: "node.kubernetes.io/not-ready", operator: "Exists" },
                { key: "node.kubernetes.io/network-unavailable", operator: "Exists" },
                // Masters may bear any taint of the user's.
                { operator: "Exists" },
            ],
            containers: [container],
            volumes: [configVolume],
        }),
    ];
}

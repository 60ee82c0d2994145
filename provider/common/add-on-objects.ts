/** Parts that the manifests of several add-ons share. */

/** The registry of Kubernetes' own images unless the user names a mirror. */
export const defaultRepository = "registry.k8s.io";

export const namespace = "kube-system";
export const masterLabel = "node-role.kubernetes.io/control-plane";

/** Folder of the kubelet, where CSI drivers put their sockets. */
export const kubeletFolder = "/var/lib/kubelet";

const rbac = "rbac.authorization.k8s.io";

export interface Rule {
    apiGroups: string[];
    resources: string[];
    verbs: string[];
    resourceNames?: string[];
}

/** `rule("storage.k8s.io", "csinodes", "get", "list")`; several resources are separated by "|". */
export function rule(apiGroup: string, resources: string, ...verbs: string[]): Rule {
    return { apiGroups: [apiGroup], resources: resources.split("|"), verbs };
}

/** Its label makes it ours: Kubernetes notes no field manager for an object without a field. */
export function serviceAccount(name: string): object {
    const labels = { "app.kubernetes.io/managed-by": "pulumi-nfv" };
    return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels } };
}

/** A ClusterRole of this name and its binding to the account. */
export function clusterRights(name: string, account: string, rules: Rule[]): object[] {
    return [
        { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules },
        {
            apiVersion: `${rbac}/v1`,
            kind: "ClusterRoleBinding",
            metadata: { name },
            roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
            subjects: [{ kind: "ServiceAccount", name: account, namespace }],
        },
    ];
}

/** A Role in our namespace and its binding. Without rules, `role` is one that Kubernetes has already. */
export function localRights(name: string, account: string, role: string, rules?: Rule[]): object[] {
    return [
        ...(rules ? [{ apiVersion: `${rbac}/v1`, kind: "Role", metadata: { name: role, namespace }, rules }] : []),
        {
            apiVersion: `${rbac}/v1`,
            kind: "RoleBinding",
            metadata: { name, namespace },
            roleRef: { apiGroup: rbac, kind: "Role", name: role },
            subjects: [{ kind: "ServiceAccount", name: account, namespace }],
        },
    ];
}

/** How the one pod of a Deployment is updated: the new one begins before the former one ends, or after it. */
export const updates = {
    newFirst: { maxUnavailable: 0, maxSurge: 1 },
    formerFirst: { maxUnavailable: 1, maxSurge: 0 },
};

/** A Deployment of one pod. */
export function deployment(
    name: string,
    labels: Record<string, string>,
    rollingUpdate: (typeof updates)[keyof typeof updates],
    pod: object,
): object {
    return {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name, namespace, labels },
        spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            strategy: { type: "RollingUpdate", rollingUpdate },
            template: { metadata: { labels }, spec: pod },
        },
    };
}

/** A DaemonSet whose pods are updated one after another. */
export function daemonSet(name: string, labels: Record<string, string>, pod: object): object {
    return {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name, namespace, labels },
        spec: {
            selector: { matchLabels: labels },
            updateStrategy: { type: "RollingUpdate" },
            template: { metadata: { labels }, spec: pod },
        },
    };
}

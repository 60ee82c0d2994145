import type { KubeObject } from "./api";
import type { PolicyRule, ServiceAccountSpec } from "./types";

const all = ["*"];
const look = ["get", "list", "watch"];

/** What deploying and watching network functions needs; Kubernetes itself keeps roles made so from exceeding it. */
export const defaultRules: PolicyRule[] = [
    {
        apiGroups: [""],
        resources: [
            "configmaps",
            "endpoints",
            "events",
            "persistentvolumeclaims",
            "pods",
            "pods/log",
            "pods/exec",
            "pods/portforward",
            "replicationcontrollers",
            "secrets",
            "serviceaccounts",
            "services",
            "namespaces",
        ],
        verbs: all,
    },
    { apiGroups: ["apps", "batch", "autoscaling", "policy", "networking.k8s.io"], resources: all, verbs: all },
    { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: all },
    { apiGroups: ["k8s.cni.cncf.io"], resources: ["network-attachment-definitions"], verbs: all },
    { apiGroups: ["events.k8s.io", "discovery.k8s.io"], resources: all, verbs: look },
    { apiGroups: [""], resources: ["nodes", "persistentvolumes", "resourcequotas", "limitranges"], verbs: look },
    { apiGroups: ["storage.k8s.io"], resources: ["storageclasses", "volumeattachments", "csinodes"], verbs: look },
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: look },
    { apiGroups: ["metrics.k8s.io"], resources: ["pods", "nodes"], verbs: look },
];

/** Everything that is made in the cluster for one account, by what it is. */
export interface AccountObjects {
    account: Placed;
    /** Absent where an existing role is bound. */
    role?: Placed;
    binding: Placed;
    tokenSecret: Placed;
}

export interface Placed {
    path: string;
    object: KubeObject;
}

export const ownLabels = { "app.kubernetes.io/managed-by": "pulumi-nfv" };

/** The names that the account's defaults give. */
export function accountName(spec: ServiceAccountSpec): { name: string; namespace: string } {
    return { name: spec.name ?? "nfv-vim", namespace: spec.namespace ?? "kube-system" };
}

/** Pure: the account, its rights, and the secret that Kubernetes fills with its token. */
export function accountObjects(spec: ServiceAccountSpec, generation: number): AccountObjects {
    const { name, namespace } = accountName(spec);
    const clusterName = `pulumi-nfv:${namespace}:${name}`;
    const existingRole = spec.clusterAdmin ? "cluster-admin" : spec.clusterRole;
    const rbac = "rbac.authorization.k8s.io";
    const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: clusterName, labels: ownLabels } };
    // A binding's role cannot be changed, so each role has a binding of its own name.
    const bindingName = existingRole === undefined ? clusterName : `${clusterName}:${existingRole}`;
    const secretName = `${name}-token-${generation}`;
    return {
        account: {
            path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`,
            object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels: ownLabels } },
        },
        role:
            existingRole === undefined
                ? { path: pathOf("clusterroles", clusterName), object: { ...role, rules: spec.rules ?? defaultRules } }
                : undefined,
        binding: {
            path: pathOf("clusterrolebindings", bindingName),
            object: {
                apiVersion: `${rbac}/v1`,
                kind: "ClusterRoleBinding",
                metadata: { name: bindingName, labels: ownLabels },
                roleRef: { apiGroup: rbac, kind: "ClusterRole", name: existingRole ?? clusterName },
                subjects: [{ kind: "ServiceAccount", name, namespace }],
            },
        },
        tokenSecret: {
            path: `/api/v1/namespaces/${namespace}/secrets/${secretName}`,
            object: {
                apiVersion: "v1",
                kind: "Secret",
                type: "kubernetes.io/service-account-token",
                metadata: {
                    name: secretName,
                    namespace,
                    labels: ownLabels,
                    annotations: { "kubernetes.io/service-account.name": name },
                },
            },
        },
    };
}

function pathOf(resource: string, name: string): string {
    return `/apis/rbac.authorization.k8s.io/v1/${resource}/${encodeURIComponent(name)}`;
}

/** In the order in which they are made; deleted the other way round. */
export function listed(objects: AccountObjects): Placed[] {
    return [objects.account, objects.role, objects.binding, objects.tokenSecret].filter(
        (placed): placed is Placed => placed !== undefined,
    );
}

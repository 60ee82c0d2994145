import type { KubeObject } from "./api";
import { ownerAnnotation } from "./ownership";
import type { PolicyRule, ServiceAccountSpec } from "./types";

const look = ["get", "list", "watch"];
// Never "*": it includes impersonate on service accounts, and escalate and bind on roles, each of which is equivalent
// to cluster-admin.
const write = [...look, "create", "update", "patch", "delete", "deletecollection"];
const scale = ["get", "update", "patch"];
const use = ["get", "create"];

/** The account's rights on cluster-wide resources: nothing secret, and nothing in a namespace. */
export const clusterRules: PolicyRule[] = [
    { apiGroups: [""], resources: ["nodes", "namespaces", "persistentvolumes"], verbs: look },
    { apiGroups: ["storage.k8s.io"], resources: ["storageclasses", "volumeattachments", "csinodes"], verbs: look },
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: look },
    { apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: look },
    { apiGroups: ["node.k8s.io"], resources: ["runtimeclasses"], verbs: look },
    { apiGroups: ["networking.k8s.io"], resources: ["ingressclasses"], verbs: look },
    { apiGroups: ["metrics.k8s.io"], resources: ["nodes"], verbs: look },
];

/** Multus runs the plugins that such an object names as root, on the node's network. */
const networkAttachments = { apiGroup: "k8s.cni.cncf.io", resource: "network-attachment-definitions" };

/**
 * Rights in a namespace to deploy and watch network functions. Kubernetes prevents roles made there from exceeding
 * them. Endpoints are read-only: who writes them can redirect traffic of other namespaces (CVE-2021-25740). docs/security.md says of each kind what
 * keeps its objects within their namespace.
 */
export const namespaceRules: PolicyRule[] = [
    {
        apiGroups: [""],
        resources: [
            "configmaps",
            "persistentvolumeclaims",
            "pods",
            "replicationcontrollers",
            "secrets",
            "serviceaccounts",
            "services",
        ],
        verbs: write,
    },
    { apiGroups: [""], resources: ["pods/exec", "pods/attach", "pods/portforward"], verbs: use },
    { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
    {
        apiGroups: [""],
        resources: ["pods/log", "pods/status", "endpoints", "events", "resourcequotas", "limitranges"],
        verbs: look,
    },
    { apiGroups: [""], resources: ["replicationcontrollers/scale"], verbs: scale },
    {
        apiGroups: ["apps"],
        resources: ["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
        verbs: write,
    },
    {
        apiGroups: ["apps"],
        resources: ["deployments/scale", "replicasets/scale", "statefulsets/scale"],
        verbs: scale,
    },
    { apiGroups: ["batch"], resources: ["jobs", "cronjobs"], verbs: write },
    { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: write },
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: write },
    { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "networkpolicies"], verbs: write },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: write },
    { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: write },
    { apiGroups: [networkAttachments.apiGroup], resources: [networkAttachments.resource], verbs: look },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: look },
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: look },
    { apiGroups: ["metrics.k8s.io"], resources: ["pods"], verbs: look },
];

/** All objects that are created for one account, by purpose. */
export interface AccountObjects {
    account: Placed;
    /** Roles that we create; none if an existing role is bound. */
    roles: Placed[];
    bindings: Placed[];
    quotas: Placed[];
    /**
     * For a token that does not expire, Kubernetes writes the token into it. Otherwise tokens are bound to it, and end
     * when it is deleted.
     */
    tokenSecret: Placed;
}

export interface Placed {
    path: string;
    object: KubeObject;
}

export const ownLabels = { "app.kubernetes.io/managed-by": "pulumi-nfv" };
const rbac = "rbac.authorization.k8s.io";
const defaultLifeSeconds = 90 * 86_400;

/** The account's name and namespace, with defaults. */
export function accountName(spec: ServiceAccountSpec): { name: string; namespace: string } {
    return { name: spec.name ?? "nfv-vim", namespace: spec.namespace ?? "kube-system" };
}

/** The namespaces in which the account may deploy; empty if its rights are those of a role, in all namespaces. */
export function accountNamespaces({ namespaces, rules, clusterRole, clusterAdmin }: ServiceAccountSpec): string[] {
    if (rules !== undefined || clusterRole !== undefined || clusterAdmin === true) return [];
    return namespaces ?? ["nfv"];
}

/** In seconds; 0 if the token does not expire. */
export function tokenLife({ tokenLifeSeconds }: ServiceAccountSpec): number {
    return tokenLifeSeconds ?? defaultLifeSeconds;
}

/** The account, its rights, and the secret for its token, all with their owner's mark. Pure. */
export function accountObjects(spec: ServiceAccountSpec, generation: number, owner: string): AccountObjects {
    const { name, namespace } = accountName(spec);
    const metadata = (of: string) => ({ name: of, labels: ownLabels, annotations: { [ownerAnnotation]: owner } });
    const subjects = [{ kind: "ServiceAccount", name, namespace }];
    const clusterName = `pulumi-nfv:${namespace}:${name}`;
    const role = (of: string, rules: PolicyRule[]): Placed => ({
        path: pathOf("clusterroles", of),
        object: { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: metadata(of), rules },
    });
    const binding = (of: string, roleName: string, where?: string): Placed => ({
        path: where === undefined ? pathOf("clusterrolebindings", of) : pathOf(`namespaces/${where}/rolebindings`, of),
        object: {
            apiVersion: `${rbac}/v1`,
            kind: where === undefined ? "ClusterRoleBinding" : "RoleBinding",
            metadata: { ...metadata(of), ...(where !== undefined && { namespace: where }) },
            roleRef: { apiGroup: rbac, kind: "ClusterRole", name: roleName },
            subjects,
        },
    });
    const lasting = tokenLife(spec) === 0;
    // A secret's type cannot be changed, so each kind of token has a secret with its own name.
    const secretName = `${name}-${lasting ? "token" : "bound"}-${generation}`;
    const forAccount = { "kubernetes.io/service-account.name": name, [ownerAnnotation]: owner };
    return {
        account: {
            path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`,
            object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...metadata(name), namespace } },
        },
        ...rightsOf(spec, clusterName, role, binding),
        quotas: quotasOf(spec, metadata),
        tokenSecret: {
            path: `/api/v1/namespaces/${namespace}/secrets/${secretName}`,
            object: {
                apiVersion: "v1",
                kind: "Secret",
                type: lasting ? "kubernetes.io/service-account-token" : "Opaque",
                metadata: { ...metadata(secretName), namespace, ...(lasting && { annotations: forAccount }) },
            },
        },
    };
}

function rightsOf(
    spec: ServiceAccountSpec,
    name: string,
    role: (of: string, rules: PolicyRule[]) => Placed,
    binding: (of: string, roleName: string, where?: string) => Placed,
): { roles: Placed[]; bindings: Placed[] } {
    const existing = spec.clusterAdmin ? "cluster-admin" : spec.clusterRole;
    // A binding's role cannot be changed, so each role has a binding with its own name.
    if (existing !== undefined) return { roles: [], bindings: [binding(`${name}:${existing}`, existing)] };
    if (spec.rules !== undefined) return { roles: [role(name, spec.rules)], bindings: [binding(name, name)] };
    const local = `${name}:namespace`;
    const { apiGroup, resource } = networkAttachments;
    const more = spec.networkAttachments ? [{ apiGroups: [apiGroup], resources: [resource], verbs: write }] : [];
    return {
        roles: [role(name, clusterRules), role(local, [...namespaceRules, ...more])],
        bindings: [binding(name, name), ...accountNamespaces(spec).map(each => binding(local, local, each))],
    };
}

/** What all objects of the namespaces may have together. The account may only read them. */
function quotasOf(spec: ServiceAccountSpec, metadata: (of: string) => KubeObject["metadata"]): Placed[] {
    const { quota: hard } = spec;
    if (hard === undefined) return [];
    const of = `pulumi-nfv-${accountName(spec).name}`;
    return accountNamespaces(spec).map(namespace => ({
        path: `/api/v1/namespaces/${namespace}/resourcequotas/${of}`,
        object: {
            apiVersion: "v1",
            kind: "ResourceQuota",
            metadata: { ...metadata(of), namespace },
            spec: { hard },
        },
    }));
}

function pathOf(resource: string, name: string): string {
    return `/apis/${rbac}/v1/${resource}/${encodeURIComponent(name)}`;
}

/** In the order of creation; deleted in reverse order. */
export function listed({ account, roles, bindings, quotas, tokenSecret }: AccountObjects): Placed[] {
    return [account, ...roles, ...quotas, ...bindings, tokenSecret];
}

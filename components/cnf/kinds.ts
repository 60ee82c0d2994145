import { editDistance } from "../../provider/common/edit-distance";
import { groupOf } from "../../provider/vim/group-of";
import { groupKind } from "../../provider/vim/ownership";
import type { KubernetesObject } from "./manifests";

/** The kinds that come with Kubernetes: group → kinds of its versions. All other kinds are custom resources: the cluster says whether it has them. */
const builtIn: Record<string, string[]> = {
    "": [
        "ConfigMap",
        "Endpoints",
        "LimitRange",
        "Namespace",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodTemplate",
        "ReplicationController",
        "ResourceQuota",
        "Secret",
        "Service",
        "ServiceAccount",
    ],
    apps: ["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
    batch: ["CronJob", "Job"],
    autoscaling: ["HorizontalPodAutoscaler"],
    policy: ["PodDisruptionBudget"],
    "networking.k8s.io": ["Ingress", "IngressClass", "IPAddress", "NetworkPolicy", "ServiceCIDR"],
    "rbac.authorization.k8s.io": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    "storage.k8s.io": [
        "CSIDriver",
        "CSINode",
        "CSIStorageCapacity",
        "StorageClass",
        "VolumeAttachment",
        "VolumeAttributesClass",
    ],
    "scheduling.k8s.io": ["PriorityClass"],
    "coordination.k8s.io": ["Lease"],
    "node.k8s.io": ["RuntimeClass"],
    "discovery.k8s.io": ["EndpointSlice"],
    "apiextensions.k8s.io": ["CustomResourceDefinition"],
    "apiregistration.k8s.io": ["APIService"],
    "certificates.k8s.io": ["CertificateSigningRequest"],
    "flowcontrol.apiserver.k8s.io": ["FlowSchema", "PriorityLevelConfiguration"],
    "resource.k8s.io": ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
    "admissionregistration.k8s.io": [
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    ],
};

/**
 * All versions that each group has ever had, in the order of preference; any other version is an error. Which of them a cluster
 * serves, the cluster itself reports (provider/vim/served.ts).
 */
const versions: Record<string, string[]> = {
    "": ["v1"],
    apps: ["v1", "v1beta2", "v1beta1"],
    batch: ["v1", "v1beta1", "v2alpha1"],
    autoscaling: ["v2", "v1", "v2beta2", "v2beta1"],
    policy: ["v1", "v1beta1"],
    "networking.k8s.io": ["v1", "v1beta1", "v1alpha1"],
    "rbac.authorization.k8s.io": ["v1", "v1beta1", "v1alpha1"],
    "storage.k8s.io": ["v1", "v1beta1", "v1alpha1"],
    "scheduling.k8s.io": ["v1", "v1beta1", "v1alpha1"],
    "coordination.k8s.io": ["v1", "v1beta1"],
    "node.k8s.io": ["v1", "v1beta1", "v1alpha1"],
    "discovery.k8s.io": ["v1", "v1beta1"],
    "apiextensions.k8s.io": ["v1", "v1beta1"],
    "apiregistration.k8s.io": ["v1", "v1beta1"],
    "certificates.k8s.io": ["v1", "v1beta1"],
    "flowcontrol.apiserver.k8s.io": ["v1", "v1beta3", "v1beta2", "v1beta1"],
    "resource.k8s.io": ["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2"],
    "admissionregistration.k8s.io": ["v1", "v1beta1", "v1alpha1"],
};

/** Versions that Kubernetes has removed, and in which release. */
const removed: Record<string, string> = {
    "apps/v1beta1": "1.16",
    "apps/v1beta2": "1.16",
    "rbac.authorization.k8s.io/v1alpha1": "1.22",
    "rbac.authorization.k8s.io/v1beta1": "1.22",
    "apiextensions.k8s.io/v1beta1": "1.22",
    "batch/v1beta1": "1.25",
    "policy/v1beta1": "1.25",
    "autoscaling/v2beta1": "1.25",
    "autoscaling/v2beta2": "1.26",
};

/** The first Kubernetes without this version. */
export function removedIn(apiVersion: string): string | undefined {
    return Object.hasOwn(removed, apiVersion) ? removed[apiVersion] : undefined;
}

/** Kinds that others need come first. Rows are applied one after another, kinds of a row together. */
const order: string[][] = [
    ["Namespace"],
    ["CustomResourceDefinition", "PriorityClass", "RuntimeClass", "StorageClass", "IngressClass", "DeviceClass"],
    ["LimitRange", "ResourceQuota", "ServiceAccount", "ClusterRole", "Role", "PersistentVolume", "NetworkPolicy"],
    ["ConfigMap", "Secret", "ClusterRoleBinding", "RoleBinding"],
    // Custom resources whose kind the cluster has already: workloads may need what their controllers make of them.
    ["given"],
    // A Service is ready when pods answer behind it, and a claim may wait for its first pod: so both are applied with the workloads.
    ["*"],
    // Admission webhooks refuse every request while no pod answers behind them.
    ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "APIService"],
    // Custom resources whose kind this network function defines: their controllers are among its workloads.
    ["defined"],
    // Cluster API holds back machines of a pool while it sees that the control plane of their cluster is changed: so that is changed first.
    ["MachineDeployment.cluster.x-k8s.io", "MachineSet.cluster.x-k8s.io", "MachinePool.cluster.x-k8s.io"],
];

const clusterScoped = new Set([
    "Namespace",
    "PersistentVolume",
    "ClusterRole",
    "ClusterRoleBinding",
    "IngressClass",
    "IPAddress",
    "ServiceCIDR",
    "CSIDriver",
    "CSINode",
    "StorageClass",
    "VolumeAttachment",
    "VolumeAttributesClass",
    "PriorityClass",
    "RuntimeClass",
    "CustomResourceDefinition",
    "APIService",
    "CertificateSigningRequest",
    "FlowSchema",
    "PriorityLevelConfiguration",
    "DeviceClass",
    "ResourceSlice",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
]);

/** Kinds whose `spec.replicas` may be set, also where the manifest does not have it. */
const scalableKinds = new Set([
    ...["Deployment", "StatefulSet", "ReplicaSet"].map(kind => `${kind}.apps`),
    ...["MachineDeployment", "MachineSet", "MachinePool"].map(kind => `${kind}.cluster.x-k8s.io`),
    "KubeadmControlPlane.controlplane.cluster.x-k8s.io",
    "Rollout.argoproj.io",
]);

/** Whether `spec.replicas` of an object may be set: by its kind; a custom resource that has it is one, too. */
export function isScalable(object: { apiVersion: string; kind: string; spec?: Record<string, unknown> }): boolean {
    const isCustom = !isBuiltIn(groupOf(object.apiVersion), object.kind);
    return scalableKinds.has(groupKind(object)) || (isCustom && typeof object.spec?.["replicas"] === "number");
}

/** How many letters of a group may be wrong. Groups of custom resources differ by more from those of Kubernetes. */
const typingErrors = 2;

/** The built-in group that was meant: the group itself, or one that differs by a typing error. Custom resources have a dot in their group. */
export function builtInGroupLike(group: string): string | undefined {
    if (Object.hasOwn(builtIn, group)) return group;
    const near = Object.keys(builtIn).find(each => each !== "" && editDistance(each, group) <= typingErrors);
    return near ?? (group.includes(".") ? undefined : "");
}

export function isBuiltIn(group: string, kind: string): boolean {
    return builtIn[group]?.includes(kind) ?? false;
}

/** Versions of a built-in group; undefined for any other group. */
export function versionsOf(group: string): readonly string[] | undefined {
    return Object.hasOwn(versions, group) ? versions[group] : undefined;
}

/** Those apiVersions of the objects that come with Kubernetes. */
export function builtInVersions(objects: readonly { apiVersion: string }[]): string[] {
    const used = new Set(objects.map(({ apiVersion }) => apiVersion));
    return [...used].filter(apiVersion => versionsOf(groupOf(apiVersion)) !== undefined).sort();
}

/** Usual version names of custom resources. */
const customVersions = ["v1", "v1beta1", "v1beta2", "v1alpha1", "v1alpha2", "v1alpha3", "v2", "v2beta1", "v2alpha1"];

/** Other versions of an apiVersion's group with which an object may have been created. */
export function otherVersions(apiVersion: string): string[] {
    const group = groupOf(apiVersion);
    if (group === "") return [];
    return (versionsOf(group) ?? customVersions)
        .map(version => `${group}/${version}`)
        .filter(each => each !== apiVersion);
}

export function builtInKinds(): string[] {
    return Object.values(builtIn).flat();
}

/** The group that contains a built-in kind. */
export function groupWith(kind: string): string | undefined {
    return Object.keys(builtIn).find(group => builtIn[group]!.includes(kind));
}

export function isClusterScoped(kind: string): boolean {
    return clusterScoped.has(kind);
}

/** Number of the row in which an object is applied. `defined`: kinds that do not exist before ("Foo.example.com"). */
export function rank(object: KubernetesObject, defined: readonly string[]): number {
    const { apiVersion, kind } = object;
    const rowOf = (name: string) => order.findIndex(kinds => kinds.includes(name));
    const full = groupKind({ apiVersion, kind });
    const custom = defined.includes(full) ? "defined" : "given";
    const row = rowOf(isBuiltIn(groupOf(apiVersion), kind) ? kind : rowOf(full) === -1 ? custom : full);
    if (row !== -1 && row < rowOf("given")) return row;
    // Hooks of a chart: a Job is done when its row is ready.
    const hooks = hooksOf(object);
    if (hooks.includes("pre-install")) return rowOf("given");
    if (hooks.includes("post-install")) return rowOf("defined");
    return row === -1 ? rowOf("*") : row;
}

/** The events at which Helm would apply an object of a chart, instead of with the others. */
export function hooksOf({ metadata }: KubernetesObject): string[] {
    const annotations = metadata["annotations"] as Record<string, unknown> | undefined;
    const hooks = String(annotations?.["helm.sh/hook"] ?? "");
    return hooks === "" ? [] : hooks.split(",").map(hook => hook.trim());
}

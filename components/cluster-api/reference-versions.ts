import type { Named } from "./machine-template";

interface Reference {
    apiVersion?: unknown;
    kind?: unknown;
}

/** Where kinds of Cluster API's own refer to others. */
const places: Record<string, string[][]> = {
    Cluster: [["controlPlaneRef"]],
    MachineDeployment: [["template", "spec", "bootstrap", "configRef"]],
    MachineSet: [["template", "spec", "bootstrap", "configRef"]],
    MachinePool: [["template", "spec", "bootstrap", "configRef"]],
};

/**
 * An object of cluster.x-k8s.io/v1beta1 with the versions that Cluster API will show in its references. It keeps only the group of one, and answers with
 * the version that it prefers: for kubeadm's kinds v1beta2. Pulumi would see a change in each run.
 */
export function withShownVersions(object: Named): Named {
    if (object.apiVersion !== "cluster.x-k8s.io/v1beta1") return object;
    const paths = places[object.kind] ?? [];
    return paths.reduce((made, path) => changedAt(made, ["spec", ...path]) as Named, object);
}

function changedAt(value: unknown, [field, ...rest]: string[]): unknown {
    if (field === undefined) return shown(value as Reference);
    const inner = (value as Record<string, unknown> | undefined)?.[field];
    return inner === null || typeof inner !== "object"
        ? value
        : { ...(value as object), [field]: changedAt(inner, rest) };
}

function shown(reference: Reference): Reference {
    const { apiVersion, kind } = reference;
    if (typeof apiVersion !== "string" || typeof kind !== "string" || !kind.startsWith("Kubeadm")) return reference;
    return { ...reference, apiVersion: apiVersion.replace(/\/v1beta1$/, "/v1beta2") };
}

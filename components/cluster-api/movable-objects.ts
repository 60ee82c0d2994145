import type { Named } from "./machine-template";

/** Kinds that a move takes along besides those of Cluster API. */
const builtIn = ["Secret", "ConfigMap"];

/** Why the objects of a cluster cannot move all together, one line each. Pure. */
export function unmovable(objects: readonly Named[], namespace: string): string[] {
    return objects.flatMap(({ apiVersion, kind, metadata }) => {
        const title = `${kind} ${metadata.name}`;
        const moves = /\.x-k8s\.io\//.test(apiVersion) || (apiVersion === "v1" && builtIn.includes(kind));
        if (!moves) return [`movable: ${title} cannot move: apply it with a Cnf`];
        return metadata.namespace === namespace
            ? []
            : [`movable: ${title} must be in the namespace ${namespace} of its Cluster`];
    });
}

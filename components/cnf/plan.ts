import { didYouMean } from "../validation/structure";
import {
    builtInKinds,
    groupOf,
    groupWith,
    isBuiltIn,
    isBuiltInGroup,
    isClusterScoped,
    rank,
    scalableKinds,
    versionsOf,
} from "./kinds";
import type { Found, KubernetesObject } from "./manifests";

export interface CnfRequest {
    namespace?: string;
    createNamespace?: boolean;
    replicas?: Record<string, number>;
    customKinds?: string[];
}

export interface CnfPlan {
    namespace: string;
    /** Rows of objects: a row is applied when the row before it is ready. */
    rows: KubernetesObject[][];
    /** Workloads that can be scaled, by name (by Kind/name where a name is used twice) → replicas. */
    scalable: Record<string, number>;
}

/** What is wrong with the objects: "place: what". Nothing is applied unless this list is empty. */
export function cnfProblems(found: readonly Found[], wish: CnfRequest): string[] {
    const broken = found.flatMap(({ place, object }) => shapeProblems(object).map(what => `${place}: ${what}`));
    if (broken.length > 0) return broken;
    const objects = found.map(({ object }) => object as KubernetesObject);
    const defined = [...definedKinds(objects), ...(wish.customKinds ?? [])];
    const kinds = found.flatMap(({ place, object }) => {
        const what = kindProblem(object as KubernetesObject, defined);
        return what ? [`${place}: ${what}`] : [];
    });
    const keys = objects.map(object => keyOf(object, wish.namespace ?? "default"));
    const twice = found.flatMap(({ place }, i) => {
        const first = keys.indexOf(keys[i]!);
        return first < i ? [`${place}: ${keys[i]} is defined in ${found[first]!.place} too`] : [];
    });
    return [...kinds, ...twice, ...replicaProblems(objects, wish.replicas ?? {})];
}

/** Pure: what is applied, in which order. Expects objects without problems. */
export function planCnf(objects: readonly KubernetesObject[], wish: CnfRequest): CnfPlan {
    const namespace = wish.namespace ?? "default";
    const made = objects.some(({ kind, metadata }) => kind === "Namespace" && metadata.name === namespace);
    const makeNamespace = !made && (wish.createNamespace ?? wish.namespace !== undefined) && namespace !== "default";
    const names = workloadNames(objects);
    const customs = definedKinds(objects, "Namespaced");
    const all = [
        ...(makeNamespace ? [namespaceObject(namespace)] : []),
        ...objects.map(object => withReplicas(inNamespace(object, namespace, customs), wish.replicas ?? {}, names)),
    ];
    const rows = new Map<number, KubernetesObject[]>();
    for (const object of all) {
        const row = rank(groupOf(object.apiVersion), object.kind);
        rows.set(row, [...(rows.get(row) ?? []), object]);
    }
    const scalable = all
        .filter(isScalable)
        .map(object => [names.get(identify(object))!, (object.spec?.["replicas"] as number | undefined) ?? 1] as const);
    return {
        namespace,
        rows: [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row),
        scalable: Object.fromEntries(scalable),
    };
}

/** Unique within a CNF, and stable: kind, namespace and name. */
export function keyOf(object: KubernetesObject, namespace: string): string {
    const group = groupOf(object.apiVersion);
    const kind = isBuiltIn(group, object.kind) ? object.kind : `${object.kind}.${group}`;
    const place = isClusterScoped(object.kind) ? [] : [object.metadata.namespace ?? namespace];
    return [kind, ...place, object.metadata.name].join("/");
}

function shapeProblems(object: unknown): string[] {
    if (object === null || typeof object !== "object") return ["is no Kubernetes object"];
    const { apiVersion, kind, metadata } = object as Partial<KubernetesObject>;
    return [
        ...(typeof apiVersion === "string" ? [] : ["apiVersion: is required"]),
        ...(typeof kind === "string" ? [] : ["kind: is required"]),
        ...(typeof metadata?.name === "string" ? [] : ["metadata.name: is required"]),
    ];
}

function kindProblem({ apiVersion, kind }: KubernetesObject, defined: readonly string[]): string | undefined {
    const group = groupOf(apiVersion);
    if (defined.includes(`${kind}.${group}`)) return undefined;
    if (isBuiltIn(group, kind)) return versionProblem(apiVersion);
    const unknown = `kind ${kind} of ${apiVersion} is not known`;
    if (!isBuiltInGroup(group)) {
        return `${unknown}: add its CustomResourceDefinition, or "${kind}.${group}" to customKinds if it is installed already`;
    }
    const right = groupWith(kind);
    if (right !== undefined) return `${unknown}: ${kind} is in ${right === "" ? "the core group (v1)" : right}`;
    return `${unknown}${didYouMean(kind, builtInKinds())}`;
}

function versionProblem(apiVersion: string): string | undefined {
    const group = groupOf(apiVersion);
    const known = versionsOf(group)!;
    const version = apiVersion.slice(group === "" ? 0 : group.length + 1);
    if (known.includes(version)) return undefined;
    const right = known.map(each => (group === "" ? each : `${group}/${each}`)).join(", ");
    return `apiVersion: no Kubernetes has ${apiVersion}; known are ${right}`;
}

/** Kinds that the objects themselves define: "Foo.example.com". */
function definedKinds(objects: readonly KubernetesObject[], scope?: string): string[] {
    return objects
        .filter(({ kind, spec }) => kind === "CustomResourceDefinition" && (!scope || spec?.["scope"] === scope))
        .map(({ spec }) => {
            const { group, names } = (spec ?? {}) as { group?: string; names?: { kind?: string } };
            return `${names?.kind}.${group}`;
        });
}

function replicaProblems(objects: readonly KubernetesObject[], replicas: Record<string, number>): string[] {
    const names = workloadNames(objects);
    const known = [...names.values()];
    return Object.entries(replicas).flatMap(([name, count]) => {
        if (!Number.isInteger(count) || count < 0) return [`replicas.${name}: ${count} is not a number of replicas`];
        const exists = [...names].some(([id, short]) => id === name || short === name);
        if (exists) return [];
        const scalable = known.length > 0 ? known.join(", ") : "none";
        return [`replicas.${name}: there is no such workload${didYouMean(name, known)} (scalable: ${scalable})`];
    });
}

function isScalable({ kind }: KubernetesObject): boolean {
    return scalableKinds.includes(kind);
}

function identify({ kind, metadata }: KubernetesObject): string {
    return `${kind}/${metadata.name}`;
}

/** "Deployment/upf" → "upf", or "Deployment/upf" if two workloads have this name. */
function workloadNames(objects: readonly KubernetesObject[]): Map<string, string> {
    const workloads = objects.filter(isScalable);
    const count = (name: string) => workloads.filter(({ metadata }) => metadata.name === name).length;
    return new Map(
        workloads.map(object => [
            identify(object),
            count(object.metadata.name) === 1 ? object.metadata.name : identify(object),
        ]),
    );
}

function withReplicas(
    object: KubernetesObject,
    replicas: Record<string, number>,
    names: Map<string, string>,
): KubernetesObject {
    const id = identify(object);
    const count = isScalable(object) ? (replicas[id] ?? replicas[names.get(id)!]) : undefined;
    return count === undefined ? object : { ...object, spec: { ...object.spec, replicas: count } };
}

function inNamespace(object: KubernetesObject, namespace: string, customs: readonly string[]): KubernetesObject {
    if (object.metadata.namespace !== undefined) return object;
    const group = groupOf(object.apiVersion);
    // Whether a custom resource has a namespace is decided by its definition, which may not be known here.
    const namespaced = isBuiltIn(group, object.kind)
        ? !isClusterScoped(object.kind)
        : customs.includes(`${object.kind}.${group}`);
    if (!namespaced) return object;
    return { ...object, metadata: { ...object.metadata, namespace } };
}

function namespaceObject(name: string): KubernetesObject {
    return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

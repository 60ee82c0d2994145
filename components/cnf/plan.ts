import { didYouMean } from "../../provider/common/did-you-mean";
import { groupOf } from "../../provider/vim/group-of";
import { groupKind } from "../../provider/vim/ownership";
import { programRule, type ReadinessRules } from "../../provider/vim/readiness/judge";
import { fieldProblems } from "./field-problems";
import {
    builtInGroupLike,
    builtInKinds,
    groupWith,
    isBuiltIn,
    isClusterScoped,
    isScalable,
    rank,
    removedIn,
    versionsOf,
} from "./kinds";
import type { Found, KubernetesObject } from "./manifests";
import { mostPods, tooManyPods, valueProblems } from "./value-problems";

export interface CnfRequest {
    namespace?: string;
    createNamespace?: boolean;
    replicas?: Record<string, number>;
    customKinds?: string[];
    readiness?: ReadinessRules;
}

export interface CnfPlan {
    namespace: string;
    /** Rows of objects: a row is applied when the row before it is ready. */
    rows: KubernetesObject[][];
    /** Namespaces that the manifests contain. */
    namespaces: string[];
    /** Kinds that do not exist before this run: "Foo.example.com". */
    defined: string[];
    /** Those of them that no definition among the manifests defines. */
    late: string[];
    /** Kinds of which only the cluster knows whether they have namespaces. */
    floating: string[];
    /** Workloads that can be scaled, by name (by Kind/name where a name is used twice) → replicas. */
    scalable: Record<string, number>;
}

/** What is wrong with the objects: "place: what". Nothing is applied unless this list is empty. */
export function cnfProblems(found: readonly Found[], wish: CnfRequest): string[] {
    const broken = brokenObjects(found);
    if (broken.length > 0) return broken;
    const objects = found.map(({ object }) => object as KubernetesObject);
    const keys = objects.map(object => keyOf(object, wish.namespace ?? "default"));
    const twice = found.flatMap(({ place }, i) => {
        const first = keys.indexOf(keys[i]!);
        return first < i ? [`${place}: ${keys[i]} is defined in ${found[first]!.place} too`] : [];
    });
    const scaled = replicaProblems(objects, wish.replicas ?? {});
    return [...objectProblems(found), ...twice, ...scaled, ...readinessProblems(objects, wish.readiness ?? {})];
}

/** What is wrong with each object by itself: "place: what". */
export function objectProblems(found: readonly Found[]): string[] {
    const broken = brokenObjects(found);
    if (broken.length > 0) return broken;
    const definitions = found.map(({ object }) => object as KubernetesObject).filter(isDefinition);
    const kinds = found.flatMap(({ place, object }) => {
        const what = kindProblem(object as KubernetesObject, definitions);
        return what ? [`${place}: ${what}`] : [];
    });
    return [...kinds, ...found.flatMap(({ place, object }) => contentProblems(object as KubernetesObject, place))];
}

function brokenObjects(found: readonly Found[]): string[] {
    return found.flatMap(({ place, object }) => shapeProblems(object).map(what => `${place}: ${what}`));
}

/** What is wrong with the fields of objects of Kubernetes' own kinds. A chart is of others: what the API drops of it in silence is a remark. */
function contentProblems(object: KubernetesObject, place: string): string[] {
    const ofFields = isCustom(object) || isOfChart(place) ? [] : fieldProblems(object);
    return [...ofFields, ...valueProblems(object)].map(what => `${place}: ${what}`);
}

/** Fields of a chart's objects that the API would not take, or drop in silence. */
export function chartRemarks(found: readonly Found[]): string[] {
    return found.flatMap(({ place, object }) =>
        isOfChart(place) && shapeProblems(object).length === 0 && !isCustom(object as KubernetesObject)
            ? fieldProblems(object as KubernetesObject).map(what => `${place}: ${what}`)
            : [],
    );
}

const isOfChart = (place: string) => place.startsWith("chart: ");

/** Pure: what is applied, in which order. Expects objects without problems. */
export function planCnf(objects: readonly KubernetesObject[], wish: CnfRequest): CnfPlan {
    const namespace = wish.namespace ?? "default";
    const namespaces = objects
        .filter(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Namespace")
        .map(({ metadata }) => metadata.name);
    const makeNamespace =
        !namespaces.includes(namespace) &&
        (wish.createNamespace ?? wish.namespace !== undefined) &&
        namespace !== "default";
    const names = workloadNames(objects);
    const customs = definedKinds(objects, "Namespaced");
    const own = definedKinds(objects);
    const late = (wish.customKinds ?? []).filter(kind => !own.includes(kind));
    const defined = [...new Set([...own, ...late])].sort();
    const floating = objects.filter(object => isCustom(object) && !defined.includes(groupKind(object))).map(groupKind);
    const all = [
        ...(makeNamespace ? [namespaceObject(namespace)] : []),
        ...objects.map(object => withReplicas(inNamespace(object, namespace, customs), wish.replicas ?? {}, names)),
    ];
    const rows = new Map<number, KubernetesObject[]>();
    for (const object of all) {
        const row = rank(object, defined);
        rows.set(row, [...(rows.get(row) ?? []), object]);
    }
    const scalable = all
        .filter(isScalable)
        .map(object => [names.get(identify(object))!, (object.spec?.["replicas"] as number | undefined) ?? 1] as const);
    return {
        namespace,
        namespaces,
        defined,
        late,
        floating: [...new Set(floating)].sort(),
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

function kindProblem(object: KubernetesObject, definitions: readonly KubernetesObject[]): string | undefined {
    const { apiVersion, kind } = object;
    const group = groupOf(apiVersion);
    const definition = definitions.find(each => definedKind(each) === groupKind(object));
    if (definition !== undefined) return definedVersionProblem(object, definition);
    if (isBuiltIn(group, kind)) return versionProblem(apiVersion);
    const like = builtInGroupLike(group);
    if (like === undefined) return undefined;
    const unknown = `kind ${kind} of ${apiVersion} is not known`;
    if (like !== group && isBuiltIn(like, kind))
        return `${unknown}: ${kind} is in ${like === "" ? "the core group (v1)" : like}`;
    const right = groupWith(kind);
    if (right !== undefined) return `${unknown}: ${kind} is in ${right === "" ? "the core group (v1)" : right}`;
    return `${unknown}${didYouMean(kind, builtInKinds())}`;
}

/** A custom resource in a version that its definition in the same manifests does not have. */
function definedVersionProblem({ apiVersion, kind }: KubernetesObject, { spec }: KubernetesObject): string | undefined {
    const versions = (spec?.["versions"] ?? []) as { name?: string; served?: boolean }[];
    const served = versions.filter(({ served = true }) => served).map(({ name }) => name);
    const version = apiVersion.split("/")[1]!;
    if (served.length === 0 || served.includes(version)) return undefined;
    return `apiVersion: ${kind} of ${groupOf(apiVersion)} has the versions ${served.join(", ")} in its definition, not ${version}`;
}

function versionProblem(apiVersion: string): string | undefined {
    const group = groupOf(apiVersion);
    const known = versionsOf(group)!;
    const version = apiVersion.slice(group === "" ? 0 : group.length + 1);
    const since = removedIn(apiVersion);
    if (since !== undefined)
        return `apiVersion: Kubernetes has no ${apiVersion} since ${since}; it is ${group}/${known[0]}`;
    if (known.includes(version)) return undefined;
    const right = known.map(each => (group === "" ? each : `${group}/${each}`)).join(", ");
    return `apiVersion: no Kubernetes has ${apiVersion}; known are ${right}`;
}

/** Kinds that the objects themselves define: "Foo.example.com". */
export function definedKinds(objects: readonly KubernetesObject[], scope?: string): string[] {
    return objects
        .filter(object => isDefinition(object) && (!scope || object.spec?.["scope"] === scope))
        .map(definedKind);
}

function isDefinition({ kind }: KubernetesObject): boolean {
    return kind === "CustomResourceDefinition";
}

function definedKind({ spec }: KubernetesObject): string {
    const { group, names } = (spec ?? {}) as { group?: string; names?: { kind?: string } };
    return `${names?.kind}.${group}`;
}

/** Whether a kind is not part of Kubernetes. */
export function isCustom({ apiVersion, kind }: KubernetesObject): boolean {
    return !isBuiltIn(groupOf(apiVersion), kind);
}

/** A rule that is about none of the objects is a typing error. */
function readinessProblems(objects: readonly KubernetesObject[], rules: ReadinessRules): string[] {
    const kinds = [...new Set(objects.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`))].sort();
    return Object.entries(rules).flatMap(([pattern, rule]) => {
        if (objects.some(object => programRule(object, { [pattern]: rule }) !== undefined)) return [];
        const near = didYouMean(pattern, kinds);
        return [`readiness.${pattern}: there is no object of such a kind${near || ` (there are ${kinds.join(", ")})`}`];
    });
}

function replicaProblems(objects: readonly KubernetesObject[], replicas: Record<string, number>): string[] {
    const names = workloadNames(objects);
    const known = [...names.values()];
    return Object.entries(replicas).flatMap(([name, count]) => {
        if (!Number.isInteger(count) || count < 0) return [`replicas.${name}: ${count} is not a number of replicas`];
        if (count > mostPods) return [`replicas.${name}: ${tooManyPods(count)}`];
        const exists = [...names].some(([id, short]) => id === name || short === name);
        if (exists) return [];
        const scalable = known.length > 0 ? known.join(", ") : "none";
        return [`replicas.${name}: there is no such workload${didYouMean(name, known)} (scalable: ${scalable})`];
    });
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

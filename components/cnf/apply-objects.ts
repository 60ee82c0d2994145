import * as pulumi from "@pulumi/pulumi";
import { type Args, CnfNamespace, CnfObjects, CnfReadiness, OwnerMark } from "../../provider/adapters/dynamic";
import { isLater } from "../../provider/adapters/later";
import type { CnfReadinessInputs } from "../../provider/cnf/cnf-readiness";
import type { KubeObject } from "../../provider/vim";
import {
    groupKind,
    handOverAnnotation,
    isDefinition,
    type ObjectName,
    objectKey,
    withOwner,
} from "../../provider/vim/ownership";
import { programRule, type ReadinessRules } from "../../provider/vim/readiness/judge";
import type { CnfArgs } from "../args/cnf-args";
import { coverSecrets } from "../preview/cover-secrets";
import { cnfAccess, type Vim } from "../vim/vim";
import { builtInVersions, otherVersions } from "./kinds";
import type { KubernetesObject } from "./manifests";
import { type CnfPlan, isCustom, keyOf } from "./plan";

export interface Application {
    /** The component that has the resources. */
    parent: pulumi.ComponentResource;
    name: string;
    args: CnfArgs;
    /** The option of the component, which its objects inherit. */
    retainOnDelete: boolean | undefined;
    plan: CnfPlan;
    /** Kinds that earlier parts of the program define. */
    definedBefore: Promise<string[]>;
}

/** Makes the resources of a network function: each row of objects waits for the row before it, and at the end all custom resources are awaited. */
export function applyObjects(application: Application): void {
    const { rows, defined, late } = application.plan;
    const { readiness: rules = {}, skipAwait = false } = application.args;
    const of = applying(application);
    const all = rows.flat();
    const made: Made[] = [];
    const isLate = (object: KubernetesObject) => late.includes(groupKind(object));
    // Kinds that something else brings are awaited once: later rows come after.
    const firstLate = rows.findIndex(row => row.some(isLate));
    let before: pulumi.Resource[] = [of.free];
    for (const [at, row] of rows.entries()) {
        const dependsOn =
            at === firstLate ? [...before, awaited(of, "kinds", { kinds: all.filter(isLate) }, before)] : before;
        const resources = row.map(object => ({ object, resource: make(of, object, dependsOn) }));
        made.push(...resources);
        before = resources.map(({ resource }) => resource);
        const objects = resources.filter(({ object }) => isDefinition(object));
        const kinds = all.filter(each => defined.includes(groupKind(each)) && !isLate(each));
        if (objects.length > 0) before.push(awaited(of, "definitions", { kinds, objects }, before));
    }
    const objects = skipAwait ? [] : made.filter(({ object }) => isAwaited(object, rules));
    if (objects.length > 0) awaited(of, "ready", { objects }, before);
}

interface Applying extends Application {
    timeoutSeconds: number;
    connected: ReturnType<typeof cnfAccess>;
    owner: pulumi.Output<string>;
    common: { cnf: string; access: ReturnType<typeof cnfAccess>["access"]; clusterId: Vim["clusterIdentifier"] };
    /** Stops the Cnf before its first object. */
    free: InstanceType<typeof CnfObjects>;
}

function applying(application: Application): Applying {
    const { parent, name, args, plan, definedBefore } = application;
    const { namespace, rows, defined, floating } = plan;
    const connected = cnfAccess(args.vim);
    const { access, after } = connected;
    const all = rows.flat();
    const applied = all.filter(isNoNamespace);
    const claim = {
        ...{ cnf: name, access, objects: applied.map(nameOf), builtIn: builtInVersions(all) },
        defined: definedBefore.then(before => [...new Set([...defined, ...before])].sort()),
        ...(floating.length > 0 && { floating, namespace }),
    };
    const owner = new OwnerMark(name, { name, claim }, { parent, dependsOn: [args.vim] }).mark;
    const common = { cnf: name, access, clusterId: args.vim.clusterIdentifier };
    // An object that exists already and is not ours, or a kind that the cluster does not have, stops the Cnf before its first object.
    // With an Output in it, an object is left out: the check would have to wait for what makes the value.
    const contents = pulumi.secret(applied.map(object => (hasLater(object) ? null : (object as KubeObject))));
    const free = new CnfObjects(name, { ...common, owner, ...claim, contents }, { parent, dependsOn: [...after] });
    return { ...application, ...{ connected, owner, common, free }, timeoutSeconds: args.timeoutSeconds ?? 600 };
}

/** The namespace of the plan for an object without one, if the cluster says that its kind has namespaces. */
function placeOf({ plan, free }: Applying, object: KubernetesObject): pulumi.Input<string | undefined> {
    const { namespace, floating } = plan;
    if (object.metadata.namespace !== undefined || !floating.includes(groupKind(object)))
        return object.metadata.namespace;
    return pulumi.output(free.namespaced).apply(kinds => (kinds?.includes(groupKind(object)) ? namespace : undefined));
}

function make(of: Applying, object: KubernetesObject, dependsOn: pulumi.Resource[]): pulumi.Resource {
    const { parent, name, args, plan, common, owner, free, timeoutSeconds, retainOnDelete } = of;
    const { provider, objectHooks, stateRead } = of.connected;
    const resource = `${name}/${keyOf(object, plan.namespace)}`;
    if (!isNoNamespace(object)) {
        const shared = !plan.namespaces.includes(object.metadata.name);
        const inputs = { ...common, owner, object: object as KubeObject, shared, timeoutSeconds };
        return new CnfNamespace(resource, inputs, { parent, dependsOn });
    }
    const timeout = `${timeoutSeconds}s`;
    const key = objectKey(nameOf(object));
    const isTaken = pulumi.all([free.taken, stateRead]).apply(([taken]) => (taken ?? []).includes(key));
    const placed = {
        ...object,
        metadata: { ...object.metadata, namespace: placeOf(of, object) as string | undefined },
    };
    const prepared = withOwner(withSkip(placed, args.skipAwait ?? false), owner);
    return new KubernetesResource(resource, appliedByForce(prepared, isTaken), {
        parent,
        // A definition stays after the Cnf is deleted, as with Helm's crds/.
        ...(isDefinition(object) || isKept(object)
            ? { retainOnDelete: true }
            : retainOnDelete !== undefined && { retainOnDelete }),
        provider,
        dependsOn,
        hooks: objectHooks,
        // Another API version of the same object is the same object. As a new resource, the engine would delete it after its creation.
        aliases: otherVersions(object.apiVersion).map(version => ({ type: typeOf(version, object.kind) })),
        customTimeouts: { create: timeout, update: timeout, delete: timeout },
    });
}

/** A resource that is there as soon as the kinds exist and the objects are ready. */
function awaited(
    of: Applying,
    what: string,
    { kinds = [], objects = [] }: { kinds?: KubernetesObject[]; objects?: Made[] },
    dependsOn: pulumi.Resource[],
): pulumi.Resource {
    const { parent, name, args, common, timeoutSeconds } = of;
    const used = new Map(kinds.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]));
    const inputs = {
        ...{ ...common, rules: args.readiness ?? {}, timeoutSeconds },
        kinds: [...used.values()],
        objects: objects.map(({ object }) => ({ ...nameOf(object), namespace: placeOf(of, object) })),
        revisions: objects.map(({ resource }) => revisionOf(resource)),
    };
    return new CnfReadiness(`${name}/${what}`, inputs as Args<CnfReadinessInputs>, { parent, dependsOn });
}

function hasLater(value: unknown): boolean {
    if (isLater(value)) return true;
    return typeof value === "object" && value !== null && Object.values(value).some(hasLater);
}

/** A chart says that an object stays when its release goes. */
function isKept({ metadata }: KubernetesObject): boolean {
    return (metadata["annotations"] as Record<string, unknown> | undefined)?.["helm.sh/resource-policy"] === "keep";
}

interface Made {
    object: KubernetesObject;
    resource: pulumi.Resource;
}

/**
 * Whether we wait for an object ourselves: Pulumi's plugin waits only for kinds that are part of Kubernetes. With its own annotations the plugin
 * waits, or is told not to.
 */
function isAwaited(object: KubernetesObject, rules: ReadinessRules): boolean {
    const annotations = (object.metadata["annotations"] ?? {}) as Record<string, unknown>;
    if (programRule(object, rules) !== undefined) return true;
    if (annotations["pulumi.com/waitFor"] !== undefined || annotations["pulumi.com/skipAwait"] === "true") return false;
    return object.kind === "APIService" || isCustom(object);
}

/** A Kubernetes object of any kind. Pulumi's kubernetes plugin finds the kind in the type token. */
class KubernetesResource extends pulumi.CustomResource {
    declare readonly metadata: pulumi.Output<{ uid?: string; generation?: number } | undefined>;

    constructor(name: string, object: KubernetesObject, options: pulumi.CustomResourceOptions) {
        const isSecret = object.kind === "Secret";
        const inputs = isSecret ? secretData(object) : object;
        super(
            typeOf(object.apiVersion, object.kind),
            name,
            inputs,
            isSecret ? { ...options, additionalSecretOutputs: ["data", "stringData"] } : options,
        );
        coverSecrets(this, inputs);
    }
}

/** Changes whenever somebody changes what the object declares. */
function revisionOf(resource: pulumi.Resource): pulumi.Output<string> {
    const { metadata } = resource as KubernetesResource;
    return metadata.apply(({ uid = "", generation = "" } = {}) => `${uid}/${generation}`);
}

function typeOf(apiVersion: string, kind: string): string {
    return `kubernetes:${apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`}:${kind}`;
}

function isNoNamespace({ apiVersion, kind }: KubernetesObject): boolean {
    return apiVersion !== "v1" || kind !== "Namespace";
}

function nameOf({ apiVersion, kind, metadata: { name, namespace } }: KubernetesObject): ObjectName {
    return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

/**
 * The plugin never waits for a custom resource to be ready; with the annotation it would not wait either until one is gone. What its removal needs, such as
 * the Secret with a login to the cloud, would go while a controller still works.
 */
function withSkip(object: KubernetesObject, skipAwait: boolean): KubernetesObject {
    if (!skipAwait || isCustom(object)) return object;
    const annotations = { ...(object.metadata["annotations"] as object), "pulumi.com/skipAwait": "true" };
    return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The maker of an object owns its fields: without force, applying an object that is taken over would be a conflict. */
function appliedByForce(object: KubernetesObject, isTaken: pulumi.Output<boolean>): KubernetesObject {
    const annotations = pulumi.all([object.metadata["annotations"] as object, isTaken]).apply(([others, taken]) => ({
        ...others,
        // A hand-over is valid once. If the annotation stayed, every Cnf of that name in any stack could take the object.
        ...(taken && { "pulumi.com/patchForce": "true", [handOverAnnotation]: "" }),
    }));
    return { ...object, metadata: { ...object.metadata, annotations } };
}

function secretData(object: KubernetesObject): pulumi.Inputs {
    const { data, stringData } = object;
    return {
        ...object,
        ...(data !== undefined && { data: pulumi.secret(data) }),
        ...(stringData !== undefined && { stringData: pulumi.secret(stringData) }),
    };
}

import * as pulumi from "@pulumi/pulumi";
import { CnfNamespace, CnfObjects, OwnerMark } from "../provider/dynamic";
import type { KubeObject } from "../provider/vim";
import { handOverAnnotation, isDefinition, type ObjectName, objectKey, withOwner } from "../provider/vim/ownership";
import { builtInVersions, otherVersions } from "./cnf/kinds";
import { type Found, type KubernetesObject, readManifests, readObjects } from "./cnf/manifests";
import { cnfProblems, keyOf, planCnf } from "./cnf/plan";
import type { CnfArgs } from "./cnf-args";
import { invalidInput, validate } from "./validate";
import { cnfAccess, vimProblems } from "./vim";

/**
 * A containerised network function on a Vim: Kubernetes objects, applied by kind in the order in which they depend on each other. Each
 * row waits until the row before it is ready; a resource that depends on the Cnf waits for all rows.
 */
export class Cnf extends pulumi.ComponentResource {
    /** Namespace of the objects that name none. */
    readonly namespace: pulumi.Output<string>;
    /** Workloads that can be scaled by `replicas`, with their number. */
    readonly scalable: pulumi.Output<Record<string, number>>;

    constructor(name: string, args: CnfArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:Cnf", name, {}, options);
        validate("Cnf", name, args, vimProblems(args?.vim));
        const found = read(name, args);
        const problems = cnfProblems(found, args);
        if (problems.length > 0) throw invalidInput("Cnf", name, problems);

        const objects = found.map(({ object }) => object as KubernetesObject);
        const { namespace, rows, scalable } = planCnf(objects, args);
        const timeoutSeconds = args.timeoutSeconds ?? 600;
        const timeout = `${timeoutSeconds}s`;
        const { after, access, provider, objectHooks, stateRead } = cnfAccess(args.vim);
        const all = rows.flat();
        const claim = {
            cnf: name,
            access,
            objects: all.filter(isNoNamespace).map(nameOf),
            builtIn: builtInVersions(all),
        };
        const owner = new OwnerMark(name, { name, claim }, { parent: this, dependsOn: [args.vim] }).mark;
        const common = { cnf: name, access, clusterId: args.vim.clusterIdentifier, owner };
        // An object that exists already and is not ours stops the Cnf before its first object.
        const free = new CnfObjects(name, { ...common, ...claim }, { parent: this, dependsOn: [...after] });
        const make = (object: KubernetesObject, dependsOn: pulumi.Resource[]): pulumi.Resource => {
            const resource = `${name}/${keyOf(object, namespace)}`;
            if (!isNoNamespace(object)) {
                const shared = !objects.some(
                    each => !isNoNamespace(each) && each.metadata.name === object.metadata.name,
                );
                const inputs = { ...common, object: object as KubeObject, shared, timeoutSeconds };
                return new CnfNamespace(resource, inputs, { parent: this, dependsOn });
            }
            const key = objectKey(nameOf(object));
            const isTaken = pulumi.all([free.taken, stateRead]).apply(([taken]) => (taken ?? []).includes(key));
            return new KubernetesResource(resource, appliedByForce(withOwner(prepare(object, args), owner), isTaken), {
                parent: this,
                // A definition stays after the Cnf is deleted, as with Helm's crds/.
                ...(isDefinition(object)
                    ? { retainOnDelete: true }
                    : options?.retainOnDelete !== undefined && { retainOnDelete: options.retainOnDelete }),
                provider,
                dependsOn,
                hooks: objectHooks,
                // Another API version of the same object is the same object. As a new resource, the engine would delete it after its creation.
                aliases: otherVersions(object.apiVersion).map(version => ({ type: typeOf(version, object.kind) })),
                customTimeouts: { create: timeout, update: timeout, delete: timeout },
            });
        };
        let before: pulumi.Resource[] = [free];
        for (const row of rows) {
            const dependsOn = before;
            before = row.map(object => make(object, dependsOn));
        }
        this.namespace = pulumi.output(namespace);
        this.scalable = pulumi.output(scalable);
        this.registerOutputs({ namespace, scalable });
    }
}

/** A Kubernetes object of any kind. Pulumi's kubernetes plugin finds the kind in the type token, and waits until the object is ready. */
class KubernetesResource extends pulumi.CustomResource {
    constructor(name: string, object: KubernetesObject, options: pulumi.CustomResourceOptions) {
        super(
            typeOf(object.apiVersion, object.kind),
            name,
            object.kind === "Secret" ? secretData(object) : object,
            object.kind === "Secret" ? { ...options, additionalSecretOutputs: ["data", "stringData"] } : options,
        );
    }
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

function read(name: string, args: CnfArgs): Found[] {
    try {
        return [...readManifests(args.manifests ?? []), ...readObjects(args.objects ?? [])];
    } catch (error) {
        throw invalidInput("Cnf", name, [(error as Error).message]);
    }
}

function prepare(object: KubernetesObject, { skipAwait }: CnfArgs): KubernetesObject {
    if (!skipAwait) return object;
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

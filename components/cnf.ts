import * as pulumi from "@pulumi/pulumi";
import { CnfNamespace, CnfObjects, OwnerMark } from "../provider/dynamic";
import type { KubeObject } from "../provider/vim";
import { type ObjectName, withOwner } from "../provider/vim/ownership";
import { builtInVersions, otherVersions } from "./cnf/kinds";
import { type Found, type KubernetesObject, readManifests, readObjects } from "./cnf/manifests";
import { cnfProblems, keyOf, planCnf } from "./cnf/plan";
import type { CnfArgs } from "./cnf-args";
import { invalidInput, validate } from "./validate";
import { cnfAccess } from "./vim";

/**
 * A containerised network function on a Vim: Kubernetes objects, applied by kind in the order in which they need each other. Each
 * row waits until the one before it is ready, and so does whatever depends on the Cnf.
 */
export class Cnf extends pulumi.ComponentResource {
    /** Namespace of the objects that name none. */
    readonly namespace: pulumi.Output<string>;
    /** Workloads that can be scaled by `replicas`, with their number. */
    readonly scalable: pulumi.Output<Record<string, number>>;

    constructor(name: string, args: CnfArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:Cnf", name, {}, options);
        validate("Cnf", name, args);
        const found = read(name, args);
        const problems = cnfProblems(found, args);
        if (problems.length > 0) throw invalidInput("Cnf", name, problems);

        const objects = found.map(({ object }) => object as KubernetesObject);
        const { namespace, rows, scalable } = planCnf(objects, args);
        const timeoutSeconds = args.timeoutSeconds ?? 600;
        const timeout = `${timeoutSeconds}s`;
        const { access, provider } = cnfAccess(args.vim);
        const owner = new OwnerMark(name, { name }, { parent: this }).mark;
        const common = { cnf: name, access, clusterId: args.vim.clusterIdentifier, owner };
        const all = rows.flat();
        // Whatever is there already and is not ours stops the Cnf before its first object.
        const free = new CnfObjects(
            name,
            { ...common, objects: all.filter(isNoNamespace).map(nameOf), builtIn: builtInVersions(all) },
            { parent: this, dependsOn: [args.vim] },
        );
        const make = (object: KubernetesObject, dependsOn: pulumi.Resource[]): pulumi.Resource => {
            const resource = `${name}/${keyOf(object, namespace)}`;
            if (!isNoNamespace(object)) {
                const shared = !objects.some(
                    each => !isNoNamespace(each) && each.metadata.name === object.metadata.name,
                );
                const inputs = { ...common, object: object as KubeObject, shared, timeoutSeconds };
                return new CnfNamespace(resource, inputs, { parent: this, dependsOn });
            }
            return new KubernetesResource(resource, withOwner(prepare(object, args), owner), {
                parent: this,
                provider,
                dependsOn,
                // Another version of the same object's API is the same object: as a new resource it would be deleted after it was made.
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

/** Any kind of object; Pulumi's kubernetes plugin knows it by its type token and waits for its readiness. */
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

function secretData(object: KubernetesObject): pulumi.Inputs {
    const { data, stringData } = object;
    return {
        ...object,
        ...(data !== undefined && { data: pulumi.secret(data) }),
        ...(stringData !== undefined && { stringData: pulumi.secret(stringData) }),
    };
}

import * as pulumi from "@pulumi/pulumi";
import { type Found, type KubernetesObject, readManifests, readObjects } from "./cnf/manifests";
import { cnfProblems, keyOf, planCnf } from "./cnf/plan";
import type { CnfArgs } from "./cnf-args";
import { invalidInput, validate } from "./validate";

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
        const timeout = `${args.timeoutSeconds ?? 600}s`;
        const provider = args.vim.provider;
        let before: pulumi.Resource[] = [args.vim];
        for (const row of rows) {
            const dependsOn = before;
            before = row.map(
                object =>
                    new KubernetesResource(`${name}/${keyOf(object, namespace)}`, prepare(object, args), {
                        parent: this,
                        provider,
                        dependsOn,
                        customTimeouts: { create: timeout, update: timeout, delete: timeout },
                    }),
            );
        }
        this.namespace = pulumi.output(namespace);
        this.scalable = pulumi.output(scalable);
        this.registerOutputs({ namespace, scalable });
    }
}

/** Any kind of object; Pulumi's kubernetes plugin knows it by its type token and waits for its readiness. */
class KubernetesResource extends pulumi.CustomResource {
    constructor(name: string, object: KubernetesObject, options: pulumi.CustomResourceOptions) {
        const version = object.apiVersion.includes("/") ? object.apiVersion : `core/${object.apiVersion}`;
        super(
            `kubernetes:${version}:${object.kind}`,
            name,
            object.kind === "Secret" ? secretData(object) : object,
            object.kind === "Secret" ? { ...options, additionalSecretOutputs: ["data", "stringData"] } : options,
        );
    }
}

function read(name: string, args: CnfArgs): Found[] {
    try {
        const manifests = args.manifests === undefined ? [] : readManifests(args.manifests);
        return [...manifests, ...readObjects(args.objects ?? [])];
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

import type * as pulumi from "@pulumi/pulumi";
import type { Vim } from "../vim/vim";
import type { Json } from "./args";

/** A containerised network function: Kubernetes objects on a cluster. At least one of `manifests`, `objects` and `chart` is set. */
export interface CnfArgs {
    /** The cluster. It is not destroyed before its network functions. @change again: all objects, if it is another cluster */
    vim: Vim;
    /**
     * Paths of YAML files and of folders of such files (`.yaml`, `.yml`, `.json`, by name), or YAML texts.
     * @change step: objects are added, changed or removed; an object that Kubernetes cannot change in place is replaced
     * @format text
     */
    manifests?: string[];
    /**
     * Kubernetes objects as data. Kind, apiVersion, name and namespace must be known when the program runs.
     * @change step: objects are added, changed or removed; an object that Kubernetes cannot change in place is replaced
     */
    objects?: Json[];
    /**
     * A Helm chart; its objects come after those of `manifests` and `objects`.
     * @change step: objects are added, changed or removed; an object that Kubernetes cannot change in place is replaced
     */
    chart?: ChartArgs;
    /**
     * Namespace of the objects that name none.
     * @default "default"
     * @change again: all objects without a namespace of their own
     * @format dnsLabel
     */
    namespace?: string;
    /**
     * Create the namespace, and delete it with the network function.
     * @default true if `namespace` is given and the manifests do not contain it
     * @change step: the namespace is created; or it is deleted with this Cnf's objects, unless it contains anything else, such as a claim of a StatefulSet
     */
    createNamespace?: boolean;
    /**
     * Replicas of workloads by name: `{ upf: 3 }`, or by kind and name: `{ "StatefulSet/upf": 3 }`. Custom resources with `spec.replicas`
     * (`MachineDeployment`) are workloads, too.
     * @change step
     */
    replicas?: Record<string, number>;
    /**
     * Kinds of custom resources that the cluster does not have yet and something else in this run defines, such as an operator when it starts:
     * `"Foo.example.com"`. Their objects are applied last, as soon as the cluster has the kind. Definitions among the manifests need no entry.
     * @change nothing
     */
    customKinds?: string[];
    /**
     * When objects are ready, by kind: `{ "cluster.x-k8s.io/v1beta2/Cluster": { condition: "ControlPlaneInitialized" } }`. A `*` stands for any text,
     * in place of the version for example. The first rule that fits counts.
     * @default known kinds by a table, others by their conditions: docs/custom-resources.md
     * @change step: the objects are awaited again
     */
    readiness?: Record<string, ReadinessArgs>;
    /**
     * How long an object may take to become ready, in seconds.
     * @default 600
     * @change nothing
     */
    timeoutSeconds?: number;
    /**
     * Do not wait until objects are ready.
     * @default false
     * @change step
     */
    skipAwait?: boolean;
}

/** When an object is ready: exactly one of `condition`, `field` and `exists` is set. */
export interface ReadinessArgs {
    /**
     * A condition in `status.conditions`.
     * @format choice
     */
    condition?: string;
    /**
     * The status that the condition must have.
     * @default "True"
     * @format choice
     */
    status?: string;
    /** A field of the object: `"status.phase"`. */
    field?: string;
    /**
     * The value that the field must have, as a text.
     * @default any value but false
     */
    value?: string;
    /**
     * Ready as soon as it exists.
     * @default false
     */
    exists?: boolean;
    /**
     * How long an object of this kind may take, in seconds.
     * @default the network function's `timeoutSeconds`
     */
    timeoutSeconds?: number;
}

/** A Helm chart. Its objects are applied like manifests, without a Helm release in the cluster. */
export interface ChartArgs {
    /** Path of the chart's folder or archive (`.tgz`), or its place in a registry: `"oci://registry.example.com/charts/upf"`. */
    source: string;
    /** Version of the chart; required with a registry. */
    version?: string;
    /** Values of the chart; they may contain outputs. They override those of `valuesFiles`. */
    values?: pulumi.Input<Json>;
    /** Paths of YAML files with values; a later file overrides an earlier one. */
    valuesFiles?: string[];
    /**
     * The name that the chart's templates see as that of the release.
     * @default the name of the network function
     */
    releaseName?: string;
    /**
     * Leave out the definitions in the chart's folder `crds`.
     * @default false
     */
    skipDefinitions?: boolean;
}

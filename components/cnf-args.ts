import type { Json } from "./args";
import type { Vim } from "./vim";

/** A containerised network function: Kubernetes objects on a cluster. At least one of `manifests` and `objects` is set. */
export interface CnfArgs {
    /** The cluster. It is not destroyed before its network functions. */
    vim: Vim;
    /** Paths of YAML files and of folders of such files (`.yaml`, `.yml`, `.json`, by name), or YAML texts. */
    manifests?: string[];
    /** Kubernetes objects as data. Kind, apiVersion, name and namespace must be known when the program runs. */
    objects?: Json[];
    /**
     * Namespace of the objects that name none.
     * @default "default"
     */
    namespace?: string;
    /**
     * Create the namespace, and delete it with the network function.
     * @default true if `namespace` is given and the manifests do not contain it
     */
    createNamespace?: boolean;
    /** Replicas of workloads by name: `{ upf: 3 }`, or by kind and name: `{ "StatefulSet/upf": 3 }`. */
    replicas?: Record<string, number>;
    /** Kinds of custom resources whose definitions are not among the manifests: `"Foo.example.com"`. */
    customKinds?: string[];
    /**
     * How long an object may take to become ready, in seconds.
     * @default 600
     */
    timeoutSeconds?: number;
    /**
     * Do not wait until objects are ready.
     * @default false
     */
    skipAwait?: boolean;
}

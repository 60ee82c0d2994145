import type * as pulumi from "@pulumi/pulumi";
import type { Json } from "./json";

/** What users write about hooks. Part of the schema like args.ts. */

/**
 * A hook runs at events of the cluster's operations: exactly one of `module`, `script`, `manifests` and `tacker` is set.
 * @change nothing: an operation of its own (modify information: hooks), as is another content of the files; its hooks run as the program has them now
 */
export interface HookArgs {
    /**
     * Names it in messages, and in `PULUMI_NFV_SKIP_HOOKS`: a DNS label of at most 40 characters.
     * @format dnsLabel
     */
    name: string;
    /**
     * File that exports a class or an object implementing `MgmtDriver`: `"./hooks/dns.ts"`. Its methods are called in the process of the provider.
     * Relative paths start from the program's folder, also in a later `pulumi destroy`.
     */
    module?: string;
    /**
     * An executable file. It gets the context as JSON on its standard input, and the simple values as environment. It runs on the operator's machine,
     * or on `nodes`.
     */
    script?: string;
    /**
     * YAML files that are applied in the cluster, or deleted.
     * @format text
     */
    manifests?: string[];
    /** An unmodified management script of OpenStack Tacker (v2). */
    tacker?: TackerHookArgs;
    /**
     * When it runs: `"scaleStart"`, `"instantiateEnd"` and others, see docs/hooks.md.
     * @default the methods of the module, the interfaces of the Tacker package; needed for scripts and manifests
     * @format choice
     */
    events?: string[];
    /**
     * The nodes on which the script runs; at the start of an operation those of before, at its end those of after.
     * @default the script runs on the operator's machine
     */
    nodes?: HookNodesArgs;
    /**
     * What happens to the objects of `manifests`: `"apply"` or `"delete"`. `"delete"` deletes them by name, whoever made them.
     * @default "apply"
     * @format choice
     */
    action?: string;
    /** Values for the hook. They are stored encrypted, and not shown. */
    parameters?: Record<string, pulumi.Input<Json>>;
    /**
     * How long one attempt may take, in seconds.
     * @default 600
     */
    timeoutSeconds?: number;
    /**
     * How often a failed attempt is repeated in the same run.
     * @default 0
     */
    retries?: number;
}

/** Nodes that fit each given property. */
export interface HookNodesArgs {
    /**
     * `"controlPlane"` or `"worker"`.
     * @format choice
     */
    role?: string;
    /**
     * Name of a pool.
     * @format dnsLabel
     */
    pool?: string;
    /**
     * Names of nodes.
     * @format dnsLabel
     */
    names?: string[];
    /**
     * Only the first one, in natural order (w2 before w10).
     * @default false
     */
    first?: boolean;
}

/** A management script of Tacker: docs/tacker-scripts.md. What a script may want to know and a program has no counterpart for is optional. */
export interface TackerHookArgs {
    /** Folder of the unpacked VNF package. Its VNFD names the script of each operation. */
    package: string;
    /**
     * The script, relative to the folder of the package.
     * @default the one that the VNFD names for the operation
     */
    script?: string;
    /**
     * Python that runs the script: a command, or the path of that of a virtual environment.
     * @default "python3"
     */
    python?: string;
    /**
     * Deployment flavour of the package.
     * @default the only one that the package has
     */
    flavourId?: string;
    /**
     * Id of the VNFD in the VnfInstance.
     * @default descriptor_id of the package
     */
    vnfdId?: string;
    /**
     * `"controlPlane"` or the name of a pool → name of its VDU in the package.
     * @default the same names
     * @keys choice
     */
    vdus?: Record<string, string>;
    /**
     * `"controlPlane"` or the name of a pool → name of its scaling aspect in the package.
     * @default the name of the VDU
     * @keys choice
     */
    aspects?: Record<string, string>;
    /**
     * `"controlPlane"` or the name of a pool → name of its connection point in the package.
     * @default the name of the VDU and `_CP1`
     * @keys choice
     */
    connectionPoints?: Record<string, string>;
    /** The cluster's Heat stack. If its name is `vnf-ID`, as Tacker names stacks, ID becomes the id of the instance. */
    stack?: TackerStackArgs;
    /** By name: `vimConnectionInfo` of the instance and of the requests that have it. The first one counts for Tacker. */
    vimConnectionInfo?: Record<string, pulumi.Input<Json>>;
    /**
     * By name of the node: merged into its entry of `vnfcResourceInfo`.
     * @keys dnsLabel
     */
    vnfcs?: Record<string, Json>;
    /** Merged into the instance. Lists are replaced. */
    instance?: Record<string, Json>;
    /** Merged into the request of the operation: `{ terminationType: "FORCEFUL" }`. */
    request?: Record<string, Json>;
    /** Folder of the package that the cluster changes to: `new_csar_dir`. */
    newPackage?: string;
}

/** A Heat stack. */
export interface TackerStackArgs {
    /** Its name. */
    name: string;
    /** Its id. */
    id: string;
}

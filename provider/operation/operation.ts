import type { Role } from "../common/model";

/** ETSI's names of the operations on a network function. */
export type OperationKind =
    | "instantiate"
    | "scale"
    | "heal"
    | "change_current_package"
    | "modify_information"
    | "change_external_connectivity"
    | "terminate";

/** One operation on a cluster. A run may do several. */
export interface Operation {
    /**
     * Number of the operation in the life of its cluster, starting with "1". A run that continues after a failure keeps
     * the number.
     */
    id: string;
    kind: OperationKind;
    /** For `scale` only. */
    direction?: "out" | "in";
    /** Names of nodes that join the cluster, in natural order (w2 before w10), like the other lists. */
    added: string[];
    /** Names of nodes that leave. */
    removed: string[];
    /** Names of nodes that are healed: most get another machine, some join again on their own. A jump server may be among them. */
    replaced: string[];
    /** Inputs whose value changes: "registries", "pools.workers.labels". */
    changed: string[];
    /** Reasons, for a person: "workers +1 (w3)". */
    reasons: string[];
    /** Id of an operation that never ended, and that this one takes back. Its reason is that operation. */
    rollbackOf?: string;
}

/** The parts of a cluster that are compared. An undefined value is unknown and makes no difference. */
export interface ClusterDescription {
    /** By name. Names are compared exactly. */
    nodes: Record<string, NodeDescription>;
    kubernetesVersion?: string;
    /** Where the API is reached: "vip 10.0.0.10:8443". */
    endpoint?: string;
    /** All other inputs: name → fingerprint. */
    settings?: Record<string, string | undefined>;
    /** In the former state only: names of servers that are gone and are recreated, also of a jump server. */
    lost?: string[];
    /** In the wanted state only: what a person asks to heal. */
    asked?: { run: string; nodes: readonly string[] /** @default "asked for" */; how?: string };
    /** Number of operations so far. @default 0 */
    operations?: number;
    /** In the wanted state only: the program restores etcd onto new machines. */
    ontoNew?: boolean;
    /** Nodes leave before anything else is done. @default false: they leave at the end */
    leavesFirst?: boolean;
}

export interface NodeDescription {
    role: Role;
    pool?: string;
    /** Identifies the machine: another value is another machine. */
    machine?: string;
}

const words: Record<OperationKind, string> = {
    instantiate: "instantiate",
    scale: "scale",
    heal: "heal",
    change_current_package: "change current package:",
    modify_information: "modify information:",
    change_external_connectivity: "change external connectivity:",
    terminate: "terminate",
};

/**
 * All operations of a run in one line: "scale out workers +1 (w3); modify information: registries". "" if there are
 * none.
 */
export function operationLine(operations: readonly Operation[]): string {
    return operations
        .map(({ kind, direction, reasons, rollbackOf }) =>
            (rollbackOf === undefined ? [words[kind], direction, reasons.join(", ")] : ["rollback of", ...reasons])
                .filter(part => part !== undefined && part !== "")
                .join(" "),
        )
        .join("; ");
}

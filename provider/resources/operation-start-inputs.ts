import type { NodeDescription } from "../lifecycle/operation";
import type { BackEnd } from "../openstack/requirements";
import type { CommonInputs } from "./types";

/** Where a cluster's machines come from. */
export type Infrastructure = BackEnd | "hosts";

/** What is known of a node before anything is changed. */
export type OperationNode = NodeDescription;

/** The inputs that identify an operation: see ClusterDescription. */
export interface OperationStartSpec {
    clusterId: string;
    clusterName: string;
    backEnd: Infrastructure;
    /** The wanted nodes, by name. */
    nodes: Record<string, OperationNode>;
    kubernetesVersion?: string;
    /** The API's endpoint, as text. */
    endpoint?: string;
    /** All other inputs: name → keyed hash, or `unknownSetting`. */
    settings?: Record<string, string>;
}

/** Replaces the hash of an input whose value is unknown at preview. */
export const unknownSetting = "unknown";

export interface OperationStartInputs extends CommonInputs {
    spec: OperationStartSpec;
    /** KeptInputs as JSON, also given out: what the checks have seen. */
    keptInputs?: string;
    /** Set by check(): the operations of the last run that changed something, in one line. */
    operation?: string;
    /** Set by check(): the number of operations so far. */
    operations?: number;
}

export type OperationStartState = OperationStartInputs;

import type { NodeDescription } from "../lifecycle/operation";
import type { BackEnd } from "../openstack/needs";
import type { CommonInputs } from "./types";

/** Where a cluster's machines come from. */
export type Infrastructure = BackEnd | "hosts";

/** What is known of a node before anything is touched. */
export type OperationNode = NodeDescription;

/** What an operation is recognised by: see ClusterDescription. */
export interface OperationStartSpec {
    clusterId: string;
    clusterName: string;
    backEnd: Infrastructure;
    /** Nodes that shall be, by name. */
    nodes: Record<string, OperationNode>;
    kubernetesVersion?: string;
    /** Where the API is reached, as text. */
    endpoint?: string;
    /** All other inputs: name → keyed hash, or `unknownSetting`. */
    settings?: Record<string, string>;
}

/** In place of the hash of an input whose value is not known at preview. */
export const unknownSetting = "unknown";

export interface OperationStartInputs extends CommonInputs {
    spec: OperationStartSpec;
    /** Filled in by check(): the operations of the last run that changed something, in one line. */
    operation?: string;
    /** Filled in by check(): how many operations the cluster has had. */
    operations?: number;
}

export type OperationStartState = OperationStartInputs;

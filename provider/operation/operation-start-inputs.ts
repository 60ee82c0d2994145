import type { CommonInputs } from "../contract/types";
import type { BackEnd } from "../openstack/requirements";
import type { Heals, HealsInput } from "./heals";
import type { RecordedOperation } from "./hooks/facts";
import type { HooksStartInputs } from "./hooks/hook-inputs";
import type { Removed } from "./leaving-nodes";
import type { NodeDescription } from "./operation";
import type { ReplaceInput } from "./replacements";

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
    /** See VersionQuestion. */
    allowUnsupportedVersion?: boolean;
    /** The program restores etcd onto new machines. */
    ontoNew?: boolean;
    /** The API's endpoint, as text. */
    endpoint?: string;
    /** All other inputs: name → keyed hash, or `unknownSetting`. */
    settings?: Record<string, string>;
    /** Only at the preview of a cluster that does not exist yet: hash of the values of these inputs. Plans are approved by it; nothing else reads it. */
    firstContent?: string;
    /** Place of a group in the program ("controlPlane", "pools.workers") → names that its `remove` has. */
    removed?: Record<string, string[]>;
}

/** Replaces the hash of an input whose value is unknown at preview. */
export const unknownSetting = "unknown";

export interface OperationStartInputs extends CommonInputs, HealsInput, ReplaceInput, HooksStartInputs {
    spec: OperationStartSpec;
    /** KeptInputs as JSON, also given out: what the checks have seen. */
    keptInputs?: string;
    /** Set by check(): the operations of the last run that changed something, in one line. */
    operation?: string;
    /** Set by check(): the number of operations so far. */
    operations?: number;
    /** Set by check(): see Leaving.strange. Another run may lower the count, for which the wrong node would leave. */
    strangeNames?: Removed;
}

export type OperationStartState = OperationStartInputs;

/** What OperationStart gives out. All is known at preview, but what the last update of a stack has left. */
export interface OperationStartOutputs {
    /** The operations of the last run that changed something, in one line. */
    operation: string | undefined;
    /** The number of operations so far. Undefined: at the first preview, if the nodes are not known. */
    operations: number | undefined;
    /** With Heat: node → how many times its server was requested. Known at preview, also if it grows. */
    generations: Record<string, number>;
    /** With Heat: node → image of its server. */
    images: Record<string, string>;
    /** With Heat: node → flavor of its server. */
    flavors: Record<string, string>;
    /** With Heat: how often a refresh has found that the stack's last change failed. */
    retries: number | undefined;
    /** What was asked to be healed; undefined: nothing so far. */
    heals: Heals | undefined;
    /** With hooks: see HooksStartInputs. */
    history: RecordedOperation[] | undefined;
    /** What the checks have seen: see leftOutOfRun. */
    keptInputs: string | undefined;
    /** With Nova: node → hash of what is fixed of its server, as the checks have seen it. */
    shapes: Record<string, string> | undefined;
    /** With Heat: hash of the stack that was prepared for. */
    stackHash: string | undefined;
    /** With Heat: servers that the stack may delete, because their nodes have left. */
    takenOut: Record<string, string> | undefined;
    /** With Heat: what the stack may replace, because its server is lost. */
    marked: Record<string, string> | undefined;
}

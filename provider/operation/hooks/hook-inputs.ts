import type { SshTarget } from "../../ssh";
import type { ClusterAccess } from "../../vim/check-cluster";
import type { RecordedOperation } from "./facts";
import type { HookSpec } from "./hook-spec";

/** The hooks of a cluster, as start and end of its operations have them. Secret: the parameters may be. */
export interface ClusterHooks {
    clusterName: string;
    /** In the order in which they run. */
    list: HookSpec[];
    /** At the end only: node → its address in the cluster's network. */
    addresses?: Record<string, string>;
}

export interface HooksInput {
    /** Undefined: there are none. */
    hooks?: ClusterHooks;
}

/** How the cluster is reached before an operation: what the last one has left in the state. Secret. */
export interface HookReach {
    access?: ClusterAccess;
    machines: Record<string, { address?: string; serverId?: string; connection: SshTarget }>;
}

/** What the last operation has left in the state of the program's stack. Only the state knows that: the start of an operation comes before the infrastructure has addresses. */
export interface BeforeInput {
    /** JSON of HookReach; "" if the state has no cluster. Secret. */
    reach: string;
    /** Number of the last operation whose end the state has. */
    completed: number;
    /** Keys of the hooks that have ended of operations whose end the state does not have. */
    endedHooks: string[];
    /** Nodes that have a NodeEnd in the state. */
    ends: string[];
    /** Nodes whose server, a resource of its own, a refresh has taken out of the state because it is gone. */
    lost: string[];
}

export interface HooksStartInputs extends HooksInput {
    /** With hooks. For this run only: not stored. */
    before?: BeforeInput;
    /** Set by check, with hooks: the operations whose end the state does not have yet, also given out. */
    history?: RecordedOperation[];
}

export interface HooksEndInputs extends HooksInput {
    /** With hooks: the history of the start. */
    history?: RecordedOperation[];
}

export interface HooksEndState extends HooksEndInputs {
    /** Number of the last operation whose hooks have all run. */
    endedUpTo?: number;
    /** Keys of hooks that have run of an operation whose hooks have not all run. */
    endedHooks?: string[];
}

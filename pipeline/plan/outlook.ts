/** What users of a cluster notice of a plan. Only what follows from its steps; what is missing is unknown. */
export interface Service {
    /** Whether clients can use the API all the time. Connections may end; then they must connect again. */
    api?: "available" | "interrupted";
    /** Nodes that are drained: their pods move to other nodes. Empty: no pod moves. */
    podsMoveFrom?: string[];
}

/** How long a run usually takes, by what former runs of this stack took. */
export interface Estimate {
    seconds: number;
    /** How many runs with the same operations it is made of. */
    runs: number;
}

/** The last run with the same operations. */
export interface PastRun {
    /** ISO 8601. */
    began: string;
    seconds: number;
    /** By "CLUSTER/NODE": seconds in which something was done to the node. */
    nodes: Record<string, number>;
}

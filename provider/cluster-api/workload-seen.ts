import type { Condition } from "../vim/readiness/judges";

export type { Condition };

/** An object of Cluster API, with the fields that we read. */
export interface Seen {
    kind: string;
    metadata: {
        name: string;
        uid?: string;
        generation?: number;
        deletionTimestamp?: string;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
        ownerReferences?: { kind: string; name: string; uid: string }[];
    };
    spec?: {
        paused?: boolean;
        replicas?: number;
        version?: string;
        providerID?: string;
        controlPlaneRef?: { kind: string; name: string };
        [field: string]: unknown;
    };
    status?: {
        phase?: string;
        observedGeneration?: number;
        replicas?: number;
        readyReplicas?: number;
        upToDateReplicas?: number;
        conditions?: Condition[];
        addresses?: { type: string; address: string }[];
        nodeRef?: { name: string };
        nodeInfo?: { kubeletVersion?: string };
        [field: string]: unknown;
    };
}

/** A warning of a controller: Cluster API and its providers put the cloud's words into events. */
export interface SeenEvent {
    /** "OpenStackMachine core-md-0-x7f2p". */
    object: string;
    reason: string;
    message: string;
    /** ISO 8601. */
    at: string;
}

/** All that is read of a workload cluster in one look. */
export interface WorkloadSeen {
    /** Undefined: it does not exist. */
    cluster?: Seen;
    controlPlane?: Seen;
    pools: Seen[];
    machines: Seen[];
    /** MachineSets and MachineHealthChecks. */
    others?: Seen[];
    /** Of the objects of this cluster. */
    warnings: SeenEvent[];
}

export function conditionOf({ status }: Seen, type: string): Condition | undefined {
    return status?.conditions?.find(each => each.type === type);
}

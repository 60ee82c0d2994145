import type { NodeState } from "../node";

export interface Metadata {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion?: string;
    deletionTimestamp?: string;
    finalizers?: string[];
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: { kind: string; name: string }[];
}

export interface Condition {
    type: string;
    status: string;
    reason: string;
    message: string;
    lastTransitionTime: string;
}

export interface Status {
    initialization?: { provisioned?: boolean };
    addresses?: { type: string; address: string }[];
    conditions?: Condition[];
}

/** Cluster of Cluster API: the fields that a provider reads. */
export interface Cluster {
    metadata: Metadata;
    spec?: { paused?: boolean };
    status?: { initialization?: { infrastructureProvisioned?: boolean } };
}

/** Machine of Cluster API: the fields that a provider reads. */
export interface Machine {
    metadata: Metadata;
    /** `version`: "v1.36.3" */
    spec?: { version?: string; bootstrap?: { dataSecretName?: string } };
}

export interface LabCluster {
    metadata: Metadata;
    spec?: { controlPlaneEndpoint?: { host?: string; port?: number } };
    status?: Status;
}

export interface LabMachine {
    metadata: Metadata;
    spec?: { providerID?: string };
    status?: Status;
}

/** What the lab has of a machine; undefined: nothing. */
export type SeenNode = { state: NodeState; address: string } | undefined;

import type { KubeObject } from "../api";

/** An object with its status, as the cluster shows it. */
export interface LiveObject extends KubeObject {
    metadata: KubeObject["metadata"] & { generation?: number };
    status?: Record<string, unknown>;
}

/** Whether an object is ready. */
export interface Verdict {
    ready: boolean;
    /** Why not, for people; "" if it is ready. */
    why: string;
    /** Ready, but perhaps only by what was true before the last change: the same must be seen again a little later. */
    unsure?: true;
    /** It does not become ready without a change: waiting is pointless. */
    stuck?: true;
    /** Ready without proof: what the user should know. */
    remark?: string;
}

/** Judges an object. Undefined: it does not have, yet, what is judged. */
export type Judge = (object: LiveObject) => Verdict | undefined;

/** When objects of a kind are ready, as the program says it. Exactly one of condition, field and exists is set. */
export interface ReadinessRule {
    /** A condition in `status.conditions`. */
    condition?: string;
    /** The status that the condition must have. @default "True" */
    status?: string;
    /** Path of a field: "status.phase". */
    field?: string;
    /** The value that the field must have. @default any */
    value?: string;
    /** Ready as soon as the object exists. */
    exists?: boolean;
    /** How long objects of the kind may take, in seconds. @default that of the network function */
    timeoutSeconds?: number;
}

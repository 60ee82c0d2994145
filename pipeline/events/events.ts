import type { Act, Progress } from "../plan/acts";
import type { Plan } from "../plan/plan";

/**
 * What a run tells, one object for each thing that happens. Events hold names, titles, codes and messages, never the
 * properties of a resource: so no secret of a resource can be among them.
 */
export type PipelineEvent =
    | AboutEvent
    | StageEvent
    | VersionEvent
    | PlanEvent
    | OperationEvent
    | PhaseEvent
    | NodeEvent
    | ResourceEvent
    | StepEvent
    | ProgressEvent
    | HookEvent
    | MessageEvent
    | ErrorEvent
    | SummaryEvent;

interface Event<Type extends string> {
    type: Type;
    /** ISO 8601. The engine tells whole seconds. */
    time: string;
}

/** Who runs what: the first event of a run, of each version in a chain of upgrades. */
export interface AboutEvent extends Event<"about"> {
    /** "scale", "up", "repair", … */
    command: string;
    /** Version of this package. */
    package: string;
    /** Of the project's folder, with "+" behind it where files differ from it. Missing: git does not say. */
    commit?: string;
    /** "ops@deploy-1"; in a pipeline whoever started it. Missing: the system does not say. */
    by?: string;
}

/** What the run itself does. `approve`: it compares the plan with guards and the approved hash. */
export interface StageEvent extends Event<"stage"> {
    stage: "configure" | "preview" | "approve" | "up" | "destroy" | "check" | "wait";
    /** For `wait`: who holds the stack. */
    text?: string;
}

/** One version of a chain of upgrades. `end`: all nodes have it, and the cluster is well. */
export interface VersionEvent extends Event<"version"> {
    /** "1.36.3" */
    version: string;
    /** From 1, of those that this run has to do. */
    number: number;
    of: number;
    state: Progress;
}

/** What preview found; it comes after the preview, before anything changes. */
export interface PlanEvent extends Event<"plan"> {
    plan: Plan;
}

/** The ETSI operation, as preview names it: "scale out workers +1 (w3)". */
export interface OperationEvent extends Event<"operation"> {
    /** Name of the cluster's resource. */
    cluster: string;
    text: string;
}

/** The first resource of a phase begins. Phases that do not wait for each other run at the same time. */
export interface PhaseEvent extends Event<"phase"> {
    /** As in docs/operations.md: "prepare the machines". */
    phase: string;
}

/** A machine (`Host`) or the membership of a machine in its cluster (`Node`). */
export interface NodeEvent extends Event<"node"> {
    node: string;
    /** Name of the cluster's resource. */
    cluster?: string;
    resource: "Host" | "Node";
    act: Act;
    state: Progress;
    /** Since its begin; not with `begin`. */
    seconds?: number;
}

/** Any other resource that is acted on. */
export interface ResourceEvent extends Event<"resource"> {
    name: string;
    /** Pulumi's type token. */
    resource: string;
    act: Act;
    state: Progress;
    seconds?: number;
}

/** A step of a machine or of another resource of this package. */
export interface StepEvent extends Event<"step"> {
    node: string;
    /** Name of the cluster's resource, of a machine. */
    cluster?: string;
    /** "Host", "Node", "StorageMachine", … */
    resource: string;
    /** Title of the step. */
    step: string;
    number: number;
    of: number;
    /** How long it has run, told from the second second on. */
    seconds?: number;
    /** Last line of its output, such as kubeadm's words; or what it does just now. */
    words?: string;
}

/** Status of a resource that is no step. */
export interface ProgressEvent extends Event<"progress"> {
    node: string;
    /** Name of the cluster's resource, of a machine. */
    cluster?: string;
    resource: string;
    text: string;
}

/** A hook has ended. */
export interface HookEvent extends Event<"hook"> {
    /** Name of the cluster's resource. */
    cluster?: string;
    /** Its name in the program. */
    hook: string;
    /** As ETSI NFV writes it: "scale_end". */
    event: string;
    state: "done" | "failed";
    /** With its retries. */
    seconds: number;
    /** The end of what a script printed, without secrets; of nodes with their names. */
    output?: string;
}

/** Stays on the screen of `pulumi up`. */
export interface MessageEvent extends Event<"message"> {
    severity: "info" | "warning";
    node?: string;
    text: string;
}

export interface ErrorEvent extends Event<"error"> {
    /** Of docs/errors.md; undefined for errors of others. */
    code?: string;
    /** The machine, or the name of the resource. */
    node?: string;
    step?: string;
    /** What was seen. */
    text: string;
    hint?: string;
}

/** The last event of a preview, `up` or `destroy`. */
export interface SummaryEvent extends Event<"summary"> {
    preview: boolean;
    /** `stopped`: somebody stopped it, by a signal. */
    result: "succeeded" | "failed" | "stopped";
    seconds: number;
    /** Number of resources by what was, or would be, done: `{ "same": 14, "create": 2 }`. */
    changes: Record<string, number>;
}

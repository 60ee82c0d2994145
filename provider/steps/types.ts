import type { ErrorCode } from "../common/errors";

/** A file that the node must have exactly as given. */
export interface StepFile {
    path: string;
    content: string;
    /** @default 0o644 */
    mode?: number;
    /** @default "root:root" */
    owner?: string;
    /** The content is secret: fingerprints contain a keyed hash of it, and logs never contain it. */
    secret?: boolean;
    /** With `secret`, in `declaredFiles`: the keyed hash, of a content that is not known any more. */
    sealed?: string;
}

/** A large file on the operator's machine. */
export interface StepUpload {
    localPath: string;
    path: string;
    sha256: string;
    sizeBytes: number;
    mode?: number;
}

export interface Retry {
    times: number;
    delaySeconds: number;
    /** Exit codes of the shell that are transient failures. Others fail at once. Undefined: all are transient. */
    onExitCodes?: number[];
    /** The output of a transient failure must match one of these. Others fail at once. Undefined: any output. */
    onOutput?: readonly RegExp[];
    /** A failure whose output matches one of these is never transient. */
    neverOnOutput?: readonly RegExp[];
}

/** What shows that a step's result is still there. */
export interface Observation {
    /**
     * POSIX sh, run under `set -eu`. It changes nothing, ends within ten seconds, and prints one line for each difference, without secrets. If it fails,
     * it could not find out.
     */
    script: string;
    /** Values for it besides the step's `env`. Not secret. */
    env?: Record<string, string>;
}

/** Where a step acts: on the run's own node, or on a ready control-plane node, in favour of the run's node. */
export type Target = "self" | "controlPlane";

/**
 * Something that is done each time it is asked for: no journal has it, so it must be safe to run twice. The rest is as for
 * a step: lease, detached process, re-attach after a reconnect, deadline, progress.
 */
export interface Act {
    /** As the id of a step: "node.drain". */
    id: string;
    title: string;
    target: Target;
    /** POSIX sh, run under `set -eu`. */
    run: string;
    /** Values for `run`, as shell variables. Not secret. */
    env?: Record<string, string>;
    timeoutSeconds: number;
    retries?: Retry;
    errors?: Record<number, ErrorCode>;
    /** What it interrupts, in plain words. */
    disruptive?: string;
    /** The standard output of `run` is the act's answer, which may be secret: no log, progress or message has it. Only with `target: "controlPlane"`. @default false */
    answers?: boolean;
    /**
     * It may be stopped at any moment: for long waits that change only what the next run does again. A run that is cancelled
     * stops it, and so does the next run if the process of this one was killed. @default false
     */
    stoppable?: boolean;
}

/** The facts about a step that are the same on every machine. The step's own file has them, and no other. */
export interface StepRow {
    /** Names the step in the journals of nodes: "containerd.config". */
    id: string;
    /** For people, in preview and progress: "configure the container runtime". */
    title: string;
    /** The inputs decide which title it has. */
    otherTitles?: readonly string[];
    /** Only nodes of this role have it. */
    only?: "controlPlane";
    /**
     * What the step interrupts on a node of a cluster in use, in plain words. A reload that keeps connections
     * interrupts nothing, and neither does a first start.
     */
    disruptive?: string;
    /** What it does to the API server of its machine. Undefined: nothing. */
    api?: "restarts" | "unknown";
    /** Why a refresh does not compare its result. Undefined: a refresh compares it. */
    notCompared?: string;
}

/**
 * What a factory returns: the wanted state, as data. The runner works in this order: probe (exit 0: the state is
 * reached, the rest is skipped), uploads, refuse, files, run.
 */
export interface StepBody extends StepRow {
    /**
     * Starts with 1. Raise it when existing nodes must run the step again although its declared state is the same:
     * `run`, `probe`, `refuse` and `preparation` are not part of the fingerprint. The probe still runs first: if it succeeds,
     * raising the revision runs nothing.
     */
    revision: number;
    files?: StepFile[];
    uploads?: StepUpload[];
    /** POSIX sh. Exit 0: the node is already in the wanted state. */
    probe?: string;
    /** POSIX sh, run under `set -eu` before a file is written. It changes nothing, and its exit code is one of `errors`. */
    refuse?: string;
    /**
     * POSIX sh, run under `set -eu`, detached from the SSH session and re-attached after a reconnect. Must be safe to
     * run twice.
     */
    run?: string;
    /**
     * Values for `run` and `probe`, as shell variables: never insert a value into the script text.
     * Not secret. They may have any length; so pass them to programs by standard input or files, not as arguments, if
     * they may be long.
     */
    env?: Record<string, string>;
    /** Secret values for `run`: each becomes a root-only file $SECRETS/NAME, which is deleted when the step ends. */
    secrets?: Record<string, string>;
    /**
     * Where `run` acts. With "controlPlane" the step has no probe, files, uploads or secrets, and its end is recorded in the
     * journal of this node.
     * @default "self"
     */
    target?: Target;
    /**
     * Done before `run`, at each attempt. Its answer becomes the secret file $SECRETS/control-plane for `run` (a join
     * token).
     */
    preparation?: Act;
    /**
     * What proves that the machine still is as the step left it, besides its files, which are compared anyway. `unseen`: why nothing shows it.
     * No part of the fingerprint. @default the probe
     */
    observe?: Observation | { unseen: string };
    /**
     * POSIX sh that `run` begins with if a refresh has found the result changed: it deletes the marks by which `run` would take it for done. No part of the
     * fingerprint.
     */
    again?: string;
    /** Deadline of the whole step, in seconds. */
    timeoutSeconds: number;
    retries?: Retry;
    /**
     * Exit codes of `run` and `preparation` that stand for one of our errors; its cause is what the script wrote to
     * stderr.
     */
    errors?: Record<number, ErrorCode>;
    /** What enters the fingerprint in place of `files` and `secrets`: `run` keeps a file as it finds it. */
    declaredFiles?: StepFile[];
    /**
     * What enters the fingerprint besides id and revision. Set it if different values lead to the same result (init or
     * join), or if a script depends on something that is not among the values.
     * @default files, uploads (by their checksums), env and secrets
     */
    declaredState?: unknown;
}

/** A step with its fingerprint: the hash of its declared state and its revision. */
export interface Step extends StepBody, Pick<Act, "answers"> {
    /** 12 hex digits. */
    fingerprint: string;
}

/** Pure: same spec, same step. Returns undefined if this node does not need the step. */
export type StepFactory<Spec> = (spec: Spec) => StepBody | undefined;

/** A factory whose row is known before a machine is. */
export type KnownStep<Spec> = StepFactory<Spec> & { row: StepRow };

/** Step id → fingerprint of the last successful run. */
export type Fingerprints = Record<string, string>;

export type ProgressListener = (text: string) => void;

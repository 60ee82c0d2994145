import type { ErrorCode } from "../errors";

/** A file that shall be on the node exactly so. */
export interface StepFile {
    path: string;
    content: string;
    /** @default 0o644 */
    mode?: number;
    /** @default "root:root" */
    owner?: string;
    /** The content is a secret: it enters fingerprints as a keyed hash and never a log. */
    secret?: boolean;
}

/** A large file taken from the operator's machine. */
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
    /** Shell exit codes that are known to be transient. Others fail at once. Undefined: all. */
    onExitCodes?: number[];
    /** What the output of a transient failure matches, one of them. Others fail at once. Undefined: any output. */
    onOutput?: readonly RegExp[];
    /** What is no transient failure whatever else its output matches. */
    neverOnOutput?: readonly RegExp[];
}

/**
 * What a factory returns: what would be there, as data. In this order the runner does: probe (exit 0 = already so, the rest is
 * skipped), uploads, files, run.
 */
export interface StepBody {
    /** Stable over releases: "containerd.config". */
    id: string;
    /** What a person reads in preview and progress: "configure the container runtime". */
    title: string;
    /**
     * From 1 on. The author raises it when existing nodes must carry the step out again although its declared state is the same:
     * `run`, `probe` and `onControlPlane` are no part of the fingerprint. The probe is asked then, too: where it finds the step done,
     * raising alone runs nothing.
     */
    revision: number;
    files?: StepFile[];
    uploads?: StepUpload[];
    /** POSIX sh. Exit 0: the node is already in the wanted state. */
    probe?: string;
    /** POSIX sh, run under `set -eu`, detached from the SSH session and re-attached after a reconnect. Must be safe to run twice. */
    run?: string;
    /**
     * Values for `run`, `probe` and `onControlPlane`, as variables of the shell: never splice a value into the script. Not secret, of any
     * length; so give them to programs by standard input or files, never as an argument if they may be long.
     */
    env?: Record<string, string>;
    /** Secret values for `run`: each becomes a root-only file $SECRETS/NAME that is gone when the step ends. */
    secrets?: Record<string, string>;
    /**
     * POSIX sh run on a living control-plane node; its standard output becomes the secret file $SECRETS/control-plane of `run`
     * (a join token). With `run` undefined the step only acts there.
     */
    onControlPlane?: string;
    /** The whole step's deadline, in seconds. */
    timeoutSeconds: number;
    retries?: Retry;
    /** Exit codes of `run` and `onControlPlane` that mean an error of ours; its cause is what the script wrote to stderr. */
    errors?: Record<number, ErrorCode>;
    /**
     * What the step interrupts on a node of a cluster in use, in plain words. A reload that keeps connections interrupts nothing, nor does what
     * is started for the first time.
     */
    disruptive?: string;
    /**
     * What the fingerprint is made of, with id and revision. Give it where the same result may be reached with other values (init or
     * join), or where a script depends on what no value says.
     * @default files, uploads (by their sums), env and secrets
     */
    declaredState?: unknown;
}

/** A step with its fingerprint: hash of its declared state and its revision. */
export interface Step extends StepBody {
    /** 12 hex digits. */
    fingerprint: string;
}

/** Pure: same spec, same step. undefined: this node needs no such step. */
export type StepFactory<Spec> = (spec: Spec) => StepBody | undefined;

/** Step id → fingerprint of what was done last. */
export type Fingerprints = Record<string, string>;

export type ProgressListener = (text: string) => void;

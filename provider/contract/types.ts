import type { RunSession } from "../common/run-session";
import type { ProgressListener } from "../steps/types";

/** What a resource may use in addition to its inputs. */
export interface Context {
    /** Shows a line in the resource's row while it works. */
    report: ProgressListener;
    /** Shows a warning that stays on the screen. */
    warn: ProgressListener;
    /** Shows an information that stays on the screen. */
    note: ProgressListener;
    /** "" if the resource does not know its URN. */
    urn: string;
    /** What this run has besides: connections, clients, queues. */
    session: RunSession;
    signal?: AbortSignal;
}

/** For functions that need nothing else of it. */
export type InSession = Pick<Context, "session">;

export interface CheckFailure {
    property: string;
    reason: string;
}

export interface Checked<Inputs> {
    inputs: Inputs;
    failures?: CheckFailure[];
    /** Information for the user, shown at preview and at `up` if nothing failed. */
    notes?: string[];
}

export interface CheckedLive<Inputs> {
    failures: CheckFailure[];
    /** Findings to store with the inputs. */
    inputs?: Partial<Inputs>;
}

export interface Diff {
    changes: boolean;
    /** Names of the inputs whose change requires a replacement. */
    replaces?: string[];
    deleteBeforeReplace?: boolean;
    /** Why there is a change that no input shows. */
    note?: string;
}

/** `{}`: the thing is gone and the next `up` recreates it. */
export interface Observed<Inputs, State> {
    id?: string;
    props?: State;
    inputs?: Inputs;
}

/**
 * One kind of resource: plain data in, plain data out, no Pulumi. At preview `check` and `diff` get `unknownValue` for
 * unknown values; the other methods never do.
 */
export interface ResourceType<Inputs extends object, State extends object> {
    /** Pure, but for what the session records. */
    check(olds: Partial<Inputs>, news: Inputs, context?: InSession): Checked<Inputs>;
    /** Checks that need I/O, run at preview and at `up` if `check` found nothing. May get `unknownValue`. */
    checkInCloud?(olds: Partial<Inputs>, news: Inputs, context: Context): Promise<CheckedLive<Inputs>>;
    /** Whether `checkInCloud` has something to ask. Pure. @default yes */
    needsCheckInCloud?(olds: Partial<Inputs>, news: Inputs): boolean;
    /** Pure, but for what the session records. */
    diff(id: string, olds: State, news: Inputs, context?: InSession): Diff;
    create(inputs: Inputs, context: Context): Promise<{ id: string; outs: State }>;
    read(id: string, state: State, context: Context): Promise<Observed<Inputs, State>>;
    update(id: string, olds: State, news: Inputs, context: Context): Promise<{ outs: State }>;
    delete(id: string, state: State, context: Context): Promise<void>;
}

/** Inputs that every type has. */
export interface CommonInputs {
    /** The resource's own URN, for progress. Not called "urn": the engine's SDK drops inputs of that name. */
    resourceUrn?: string;
    /** Problems that the component found in arguments that were unknown before. `check` refuses them. */
    problems?: string;
}

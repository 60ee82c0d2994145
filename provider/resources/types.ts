import type { ProgressListener } from "../steps/types";

/** What a resource may use beside its inputs. */
export interface Context {
    /** Shows a line in the resource's row while it works. */
    report: ProgressListener;
    /** Shows a line that stays. */
    warn: ProgressListener;
    /** "" where the resource was not told its URN. */
    urn: string;
    signal?: AbortSignal;
}

export interface CheckFailure {
    property: string;
    reason: string;
}

export interface Checked<Inputs> {
    inputs: Inputs;
    failures?: CheckFailure[];
    /** What a person shall read at preview and at `up`, if nothing failed. */
    notes?: string[];
}

export interface CheckedLive<Inputs> {
    failures: CheckFailure[];
    /** What the world said, to be kept with the inputs. */
    inputs?: Partial<Inputs>;
}

export interface Diff {
    changes: boolean;
    /** Names of the inputs that ask for a new resource. */
    replaces?: string[];
    deleteBeforeReplace?: boolean;
}

/** `{}`: the thing is gone and the next `up` makes it anew. */
export interface Observed<Inputs, State> {
    id?: string;
    props?: State;
    inputs?: Inputs;
}

/**
 * One kind of resource: plain data in, plain data out, no Pulumi. At preview `check` and `diff` see `unknownValue` in place of
 * what is not known yet; the others never do.
 */
export interface ResourceType<Inputs extends object, State extends Inputs> {
    check(olds: Partial<Inputs>, news: Inputs): Checked<Inputs>;
    /** What only the world can say, asked at preview and at `up`, if `check` found nothing. May see `unknownValue`. */
    checkLive?(olds: Partial<Inputs>, news: Inputs, context: Context): Promise<CheckedLive<Inputs>>;
    diff(id: string, olds: State, news: Inputs): Diff;
    create(inputs: Inputs, context: Context): Promise<{ id: string; outs: State }>;
    read(id: string, state: State, context: Context): Promise<Observed<Inputs, State>>;
    update(id: string, olds: State, news: Inputs, context: Context): Promise<{ outs: State }>;
    delete(id: string, state: State, context: Context): Promise<void>;
}

/** Inputs that every type has. */
export interface CommonInputs {
    /** The resource's own URN, for progress. Not called "urn": the engine's SDK drops inputs of that name. */
    resourceUrn?: string;
    /** What the component found wrong with arguments that were not known before: refused by `check`. */
    problems?: string;
}

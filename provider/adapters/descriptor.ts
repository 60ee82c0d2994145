import type { Role } from "../common/model";
import type { Disrupts } from "../member/disrupts";

/** What an act on a resource does, for a person. A Node's depends on its role. */
export type Title = string | Readonly<Record<Role, string>>;

export interface Titles {
    /** Of its creation. */
    readonly make: Title;
    /** Of an update. @default as `make` */
    readonly change?: Title;
    /** Of its deletion while its cluster stays. @default it is only forgotten */
    readonly leave?: Title;
    /** Of its deletion with its cluster. @default it goes with the cluster, or it is only forgotten */
    readonly end?: string;
}

/**
 * What all adapters (Pulumi's dynamic resources, an executable provider) need to know about one type of resource. `Outputs`: what it has
 * besides its inputs.
 */
export interface Descriptor<Inputs extends object = object, Outputs extends object = object> {
    /** Progress, reports and docs/operations.md show them. */
    readonly titles: Titles;
    /** Its ResourceType. Loaded on demand: most previews find no change and need no code that makes changes. */
    readonly methods: () => unknown;
    /** Only for the type: no descriptor has it. */
    readonly types?: { inputs: Inputs; outputs: Outputs };
    readonly outputs: readonly (keyof Outputs & string)[];
    /** Paths of inputs that are marked as secret before they reach the engine. */
    readonly secretInputs: readonly string[];
    /**
     * Top-level outputs that the engine must encrypt in the state. By itself it does so only for outputs that were secret inputs of the same
     * name.
     */
    readonly secretOutputs: readonly string[];
    /** Which nodes an act on it takes out of service: limits count them. */
    readonly disrupts: Disrupts;
    /**
     * What a plan makes of an act on it. bookkeeping: nothing, because it follows from the rest. harmless: it neither stops the API nor
     * moves pods of the cluster. Undefined: nothing is said of the service.
     */
    readonly inPlan?: "bookkeeping" | "harmless";
    /** Whether it is known only while the program runs, where values of a chart depend on what the run makes. It acts on no node. */
    readonly madeLate?: true;
    /** Whether it carries out a request of the program, once. A run that repairs nodes leaves it to the next one. */
    readonly request?: true;
    /** Whether it reboots nodes: from which of them pods move is known when they have been asked. */
    readonly reboots?: true;
    /** Whether inputs travel as texts: see packed.ts. */
    readonly packed?: true;
    /** Whether only inputs and completed steps decide what is to do. If neither changed, nothing is. */
    readonly decidedByInputs?: true;
    /** With `decidedByInputs`: inputs that a program may stop giving. That is a change, too. */
    readonly leavingInputs?: readonly (keyof Inputs & string)[];
    /**
     * Whether its replacement is the same machine, so that the former resource must be deleted before the new one is created. `diff` asks for
     * that too, but with `pulumi up --replace` the engine does not call `diff`.
     */
    readonly sameMachine?: true;
    /** For a type that records what exists: what a second resource would not know, and the damage. */
    readonly irreplaceable?: string;
}

/** The type of Inputs and Outputs without the values, which TypeScript cannot infer in part. */
export const describe = <Inputs extends object, Outputs extends object = Record<never, never>>(
    descriptor: Descriptor<Inputs, Outputs>,
): Descriptor<Inputs, Outputs> => descriptor;

export type InputsOf<D> = D extends Descriptor<infer Inputs, infer _> ? Inputs : never;
export type OutputsOf<D> = D extends Descriptor<infer _, infer Outputs> ? Outputs : never;

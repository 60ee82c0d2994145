import { runFacts } from "./run-facts";
import type { InSession } from "./types";

interface State {
    resourceUrn?: string;
}

/*
 * With `pulumi up --replace` the engine creates the new resource before it deletes the former one. If both are the same objects in the cluster,
 * the deletion keeps what the program still has.
 */

/** Notes what this run's program has now. */
export function notePresent<S extends State>(state: S, context: InSession | undefined): S {
    if (state.resourceUrn !== undefined && context !== undefined)
        runFacts(context).did.has.set(state.resourceUrn, state);
    return state;
}

/** What the program has in place of a former resource. */
export function inPlaceOf<S extends State>({ resourceUrn = "" }: S, context: InSession): S | undefined {
    return runFacts(context).did.has.get(resourceUrn) as S | undefined;
}

/**
 * What this run's program has now, by URN. For `pulumi up --replace` the engine makes the new resource before it deletes the former one.
 * Where both are the same objects in the cluster, the deletion looks here, and what is here stays.
 */
export class Present<State extends { resourceUrn?: string }> {
    private readonly states = new Map<string, State>();

    note(state: State): State {
        if (state.resourceUrn !== undefined) this.states.set(state.resourceUrn, state);
        return state;
    }

    /** What the program has in the place of a former resource. */
    inPlaceOf({ resourceUrn = "" }: State): State | undefined {
        return this.states.get(resourceUrn);
    }
}

/**
 * What this run's program has now, by URN. With `pulumi up --replace` the engine creates the new resource before it
 * deletes the former one. If both are the same objects in the cluster, the deletion reads this and keeps what the
 * program still has.
 */
export class Present<State extends { resourceUrn?: string }> {
    private readonly states = new Map<string, State>();

    note(state: State): State {
        if (state.resourceUrn !== undefined) this.states.set(state.resourceUrn, state);
        return state;
    }

    /** What the program has in place of a former resource. */
    inPlaceOf({ resourceUrn = "" }: State): State | undefined {
        return this.states.get(resourceUrn);
    }
}

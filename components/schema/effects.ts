/** What a change of an input may do to a running cluster. */
export const effects = {
    nothing: "nothing on the nodes; the next operation uses the new value",
    step: "written to its place; nothing restarts, nothing waits",
    restart:
        "a service restarts on one control-plane node after the other, and in each pool on as many workers at once as `pools.NAME.maxUnavailable` says; containers keep running",
    rolling: "control-plane nodes one after another; each must be ready before the next",
    membership: "nodes join or leave; the others only get the new list of control-plane nodes",
    cloud: "the cloud changes it in place; servers keep running",
    machines: "Cluster API replaces the machines that it concerns, one after another; preview says how many",
    again: "is deleted and created again; the row says what that interrupts",
    refused: "refused at preview; the error says what to do instead",
} as const;

export type Effect = keyof typeof effects;

export interface Change {
    effect: Effect;
    /** Adds to the effect's general meaning. */
    note?: string;
}

/** `{a,b}` in names stands for each of them; names are separated by blanks. */
export type Row = [effect: Effect, names: string, note?: string];

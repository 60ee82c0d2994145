import type { Context, Observed } from "../contract/types";
import { readJournal } from "../machine/journal";
import { connectTo, isUnreachable, type MachineState, type ProgramPath, type ServerInputs } from "../machine/machine";
import type { SshTarget } from "../ssh";
import type { Step } from "../steps";
import { observe } from "../steps/observe";

interface OnStorageServer extends MachineState, ProgramPath, ServerInputs {
    spec: { clusterId: string; name: string };
    connection: SshTarget;
}

/** What a refresh returns for a resource with these steps on a storage server: those that a look at the machine found undone are to be done again. */
export async function observeStorage<State extends OnStorageServer>(
    id: string,
    state: State,
    steps: readonly Step[],
    context: Context,
): Promise<Observed<State, State>> {
    const { clusterId, name } = state.spec;
    const keep = (why: string) => {
        context.warn(`${name}: kept as it was: ${why}`);
        return { id, props: state };
    };
    const found = (differing: readonly Step[], done: MachineState["done"]) => {
        const isDone = (step: string) =>
            steps.some(each => each.id === step) && !differing.some(each => each.id === step);
        const kept = Object.fromEntries(Object.entries(done).filter(([step]) => isDone(step)));
        return { id, props: { ...state, done: kept, pending: differing.map(({ title }) => title) } };
    };
    try {
        const connection = connectTo(context, state.connection, state, state);
        const journal = await readJournal(context, connection, clusterId, name);
        if (journal === "busy") return keep("another run works on this machine");
        if (journal === "foreign") return {};
        // A machine in the place of the former one: its clients wait, and their state says who they are.
        if (journal === "blank") return found(steps, {});
        const seen = await observe(connection, steps);
        return found(
            steps.filter(step => seen[step.id]?.state === "differs"),
            journal.done,
        );
    } catch (error) {
        if (!isUnreachable(error)) throw error;
        return keep(error.reason);
    }
}

import { NfvError } from "../common/errors";
import type { Context, Diff } from "../contract/types";
import { changed, hasUnknown, same } from "../contract/values";
import { type ChangeNumberInput, machineDiff } from "../operation/wishes";
import type { Connection, SshTarget } from "../ssh";
import { forgetStep, type Step, stale } from "../steps";
import { readJournal } from "./journal";
import { isLeftUndone, type MachineState, named, operate, type StepInputs } from "./machine";

/** Inputs of a resource that has the backups of one machine, on which another resource decides. */
interface Inputs extends StepInputs, ChangeNumberInput {
    spec: { clusterId: string; name: string };
    connection: SshTarget;
}

/** What changes. `isOnOther`: its machine was set up from nothing since. Pure. */
export function backupDiff<I extends Inputs>(
    olds: I & MachineState,
    news: I,
    { isOnOther, steps }: { isOnOther: boolean; steps: () => Step[] },
): Diff {
    const isKnown = !hasUnknown([news.spec, news.fingerprintKey]);
    const update =
        isLeftUndone(olds) ||
        isOnOther ||
        !same(olds.steps, news.steps) ||
        !same(olds.connection, news.connection) ||
        (isKnown && stale(steps(), olds.done).length > 0);
    return machineDiff(olds, news, { replaces: changed(olds, news, ["spec.clusterId", "spec.name"]), update });
}

interface Begin<I> {
    id: string;
    inputs: I;
    olds: (I & MachineState) | undefined;
    connection: Connection;
    steps: Step[];
    isOnOther: boolean;
    /** Why a machine that is not ours any more cannot begin them. */
    notThere: Pick<ConstructorParameters<typeof NfvError>[0], "cause" | "hint">;
}

/** Does on the machine what is not done there. @throws FOREIGN_NODE, and the errors of the steps */
export async function beginBackups<I extends Inputs>(
    { id, inputs, olds, connection, steps, isOnOther, notThere }: Begin<I>,
    context: Context,
): Promise<I & MachineState> {
    const { clusterId, name: node } = inputs.spec;
    const journal = await named(node, () => readJournal(context, connection, clusterId, node));
    if (journal === "blank" || journal === "foreign") throw new NfvError({ code: "FOREIGN_NODE", node, ...notThere });
    // The journal may have them of a resource that was deleted, of the former machine, or from before what a refresh has found.
    const isTrue = ({ id: step }: Step) => olds?.done[step] !== undefined && !isOnOther;
    for (const step of steps) if (!isTrue(step)) await named(node, () => forgetStep(connection, step.id));
    const exists = olds !== undefined;
    // Else the machine's journal decides: it knows of runs that were killed.
    const done = {};
    const reached = await operate({ id, node, clusterId, steps, connection, done, kept: inputs, exists, context });
    return { ...inputs, ...reached };
}

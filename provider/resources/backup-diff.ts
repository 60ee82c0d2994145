import type { SshTarget } from "../ssh";
import { type Step, stale } from "../steps";
import { isLeftUndone, type MachineState, type StepInputs } from "./machine";
import type { Diff } from "./types";
import { changed, hasUnknown, same } from "./values";
import { machineDiff, type WishNumberInput } from "./wishes";

interface Inputs extends StepInputs, WishNumberInput {
    spec: { clusterId: string; name: string };
    connection: SshTarget;
}

/** What changes of a resource that has the backups of one machine. Pure. */
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

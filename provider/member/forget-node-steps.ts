import type { NodeSpec, Role } from "../common/model";
import type { Context } from "../contract/types";
import type { MachineStatus } from "../kubeadm/machine-status";
import { kubeletConfig } from "../kubeadm/paths";
import { readJournal } from "../machine/journal";
import { named } from "../machine/machine";
import type { Connection } from "../ssh";
import { forgetStep } from "../steps";
import { apiServerFilesStep } from "./join/api-server-files";
import { joinStep } from "./join/join-cluster";
import { keysStep } from "./join/place-keys";
import { nodeStepIds } from "./node-steps";

/**
 * A machine that had joined and has neither our note nor a kubelet of a cluster any more was reset, by a person as our errors advise or by a run
 * that was killed behind it. What its steps had made is gone with that, keys included.
 */
export async function forgetIfReset(
    { clusterId, name, role }: NodeSpec,
    self: MachineStatus,
    machine: Connection,
    context: Context,
): Promise<void> {
    if (self.memberOf === clusterId || self.traces.includes(kubeletConfig)) return;
    const journal = await named(name, () => readJournal(context, machine, clusterId, name));
    if (typeof journal !== "object" || journal.running || journal.done[joinStep.id] === undefined) return;
    context.report("it was reset since it joined: it joins again");
    await named(name, () => forgetNodeSteps(role, machine));
}

/**
 * Keys that were rotated are on the control-plane nodes alone. A machine whose join was stopped behind them gets those of now: a rotation may have changed them
 * since, while it was off or out of the program, and the fingerprints stay the same.
 */
export async function forgetRotatedKeys(
    { clusterId, name, keys }: NodeSpec,
    machine: Connection,
    context: Context,
): Promise<void> {
    const rotated = [keys?.serviceAccountKeyName, keys?.encryptionKeyName, keys?.firstAuthorities];
    if (rotated.every(each => each === undefined)) return;
    const journal = await named(name, () => readJournal(context, machine, clusterId, name));
    if (typeof journal !== "object" || journal.running) return;
    const placed = [keysStep.id, apiServerFilesStep.id].filter(id => journal.done[id] !== undefined);
    for (const id of placed) await named(name, () => forgetStep(machine, id));
}

/** The join last: as long as it is noted, a run that was stopped here is continued. */
export async function forgetNodeSteps(role: Role, machine: Connection): Promise<void> {
    const join = joinStep.id;
    for (const step of [...nodeStepIds(role).filter(id => id !== join), join]) await forgetStep(machine, step);
}

/** Only a member has a journal with this step. */
export async function forgetOfMember(
    step: string,
    machine: Connection,
    self: MachineStatus,
    { clusterId, name }: NodeSpec,
): Promise<void> {
    if (self.memberOf === clusterId) await named(name, () => forgetStep(machine, step));
}

import type { Diff } from "../contract/types";
import { at, changed, hasUnknown, same } from "../contract/values";
import { driftChanges, driftNote, withNote } from "../machine/drift";
import { givesOtherHostKey, isLeftUndone, serverChanged } from "../machine/machine";
import { areDone, loginOf } from "../machine/stored-machine";
import { machineDiff } from "../operation/wishes";
import { plan } from "../steps";
import type { HostInputs, HostState } from "./host-state";
import { specOf } from "./host-state";
import { hostSteps } from "./host-steps";
import { type Progress, refuseOtherMachines } from "./masters-that-stay";

/** If one of these changes, it is another host. */
const identity = ["spec.clusterId", "spec.name", "spec.role", "spec.address"];

/** What a host needs; `replaces`: it is undone, and prepared again. @throws INVALID_INPUT for control-plane nodes that cannot all be others */
export function differenceOf(olds: HostState, news: HostInputs): Diff {
    refuseOtherMachines(olds, news, progressOf(olds));
    const replaces = [...changed(olds, news, identity), ...(serverChanged(olds, news) ? ["serverId"] : [])];
    const update =
        !areDone(news.steps, olds.done) ||
        isLeftUndone(olds) ||
        endpointChanged(olds, news) ||
        givesOtherHostKey(olds, news) ||
        loginOf(olds) !== loginOf(news) ||
        driftChanges(olds, news);
    return withNote(machineDiff(olds, news, { replaces, update }), driftNote(news.spec.name, olds, news));
}

/** Compared even if no step depends on it: the machine records the former endpoint, which others may use. */
function endpointChanged(olds: HostState, news: HostInputs): boolean {
    const [before, after] = [olds, news].map(each => at(each, "spec.endpoint"));
    return !hasUnknown(after) && !same(before, after);
}

/** A refresh may find that a step is not done any more: the machine was ready all the same. */
function progressOf({ spec, done, pending = [] }: HostState): Progress {
    const begun = Object.keys(done).length > 0;
    const all = plan(hostSteps, specOf(spec), undefined).every(({ id }) => done[id] !== undefined);
    return { begun, ready: begun && (all || pending.length === 0) };
}

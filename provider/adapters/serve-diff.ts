import { noWholeNames } from "../contract/give-up";
import { isDone } from "../contract/packed";
import { runFacts, sameUrn } from "../contract/run-facts";
import type { Diff } from "../contract/types";
import { expectRecordedKeys } from "../machine/machine";
import { isAskedAgain, isMachine, isUpToDate, type MachineType, machineInProgram } from "../machine/stored-machine";
import { resourceType } from "./descriptors";
import { endWarning, isTimeUp } from "./end-warning";
import { isDecidedByInputs, isSameQuestion, machineIn, open, type Properties } from "./properties";
import { leavesRequest, RepairRun } from "./repair-run";
import type { ServedRun } from "./served-run";

/** What is to change of the resource. */
export function diffIn(run: ServedRun, type: string, id: string, olds: Properties, news: Properties): Diff {
    if (isMachine(type)) expectRecordedKeys(run, open(type, olds));
    sayWhatIsKnown(run, type, olds);
    // After a renaming by alias the state gets the new name: the deletion of a machine compares it.
    const renamed = isMachine(type) && isRenamed(run, type, olds, news);
    if (isUnchanged(type, olds, news)) return { changes: renamed };
    const left = renamed ? undefined : leftToOthers(type, olds, news);
    if (left !== undefined) {
        run.noteOnce(run.contextOf(type, olds), left);
        return { changes: false };
    }
    try {
        // Some destroys (--target-dependents) call this all the same: what they see is no program's.
        const inRun = runFacts(run).program.isKnown ? { session: run.session } : undefined;
        // What others have changed of the cluster's own objects keeps no node from being repaired.
        const leaves = RepairRun.of(process.env) !== undefined && !isMachine(type);
        const before = leaves ? withoutDrift(open(type, olds)) : open(type, olds);
        const { note, ...found } = resourceType(type).diff(id, before, open(type, news), inRun);
        if (note !== undefined) run.noteOnce(run.contextOf(type, olds), note);
        return { ...found, changes: found.changes || renamed };
    } catch (error) {
        return run.failed(error);
    }
}

function sayWhatIsKnown(run: ServedRun, type: string, olds: Properties): void {
    // The engine shows this update without a reason, because its inputs did not change.
    if (Array.isArray(olds.pending) && olds.pending.length > 0)
        run.noteOnce(run.contextOf(type, olds), `still to do: ${olds.pending.join(", ")}`);
    // Warn of names once in a run: a cluster has one id.
    for (const warning of [endWarning(type, olds), type === "ClusterId" ? noWholeNames() : undefined])
        if (warning !== undefined) run.contextOf(type, olds).warn(warning);
}

function isUnchanged(type: string, olds: Properties, news: Properties): boolean {
    if (isMachine(type)) return isUpToDate(olds, news);
    return isDecidedByInputs(type) && isDone(olds) && isSameQuestion(type, olds, news) && !isTimeUp(type, olds);
}

export function isRenamed(run: ServedRun, type: MachineType, olds: Properties, news: Properties): boolean {
    const now = machineInProgram(run, type, machineIn(type, news))?.["resourceUrn"];
    const before = open(type, olds)["resourceUrn"];
    return typeof now === "string" && typeof before === "string" && !sameUrn(now, before);
}

/** Of a run that repairs nodes: a request that was stopped in its middle, and what stays as it is of a machine whose inputs are those of the last run. */
function leftToOthers(type: string, olds: Properties, news: Properties): string | undefined {
    if (leavesRequest(type))
        return "this run repairs nodes; what is left to do of this request is left to the next pulumi up";
    const repairRun = RepairRun.of(process.env);
    if (repairRun === undefined || !isMachine(type)) return undefined;
    const { name } = (open(type, olds) as { spec: { name: string } }).spec;
    if (repairRun.repairs(name) || !isAskedAgain(olds, news)) return undefined;
    return `${name}: this run repairs other nodes; what is to do here is left to the next pulumi up`;
}

const withoutDrift = ({ drift: _, ...state }: Properties) => state;

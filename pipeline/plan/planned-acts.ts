import type { PlannedResourceActs } from "../../provider/adapters/planned-run";
import { operationOf, plannedActs, runsSteps } from "../../provider/member/planned-acts";
import type { ResourceList } from "./planned-resources";
import { isOpen } from "./secret-hashes";

/** What a plan does with each resource of this package, for its run. Pure. */
export function actsOfRun(list: ResourceList): PlannedResourceActs[] {
    return list.ours().map(entry => {
        const { urn, type, act, old, new: next, id, deletes } = entry;
        const [state, inputs] = [old?.outputs ?? {}, next?.inputs ?? {}];
        // Where the preview could not say whether it changes, the steps are known all the same.
        const stays = act === undefined || act === "update";
        const steps = stays && old && next && runsSteps(inputs) ? plannedActs(state, inputs) : undefined;
        const operation = operationOf(inputs);
        return {
            ...{ urn, type },
            ...(id !== undefined && { id }),
            ...(act !== undefined && act !== "read" && { act }),
            ...(deletes.length > 0 && { deletes }),
            ...(next !== undefined && isOpen(entry) && { open: true as const }),
            ...(steps && { acts: steps.map(({ title, fingerprint, any }) => ({ title, fingerprint, any })) }),
            ...(operation !== undefined && !isOpen(entry) && { operation }),
        };
    });
}

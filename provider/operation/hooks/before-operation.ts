import { onceFor } from "../../common/once-for";
import { runFacts } from "../../contract/run-facts";
import type { InSession } from "../../contract/types";
import { unknownValue } from "../../contract/values";
import type { BeforeInput, HookReach } from "./hook-inputs";

/** What the last operation has left. */
export interface Before extends Omit<BeforeInput, "reach"> {
    reach: HookReach;
}

const nothing: Before = { reach: { machines: {} }, completed: 0, endedHooks: [], ends: [], lost: [] };

/**
 * What the last operation has left, as this run's program found it in the state. `pulumi up --refresh` stores what its refresh has found only
 * later, so lost servers also as the refresh found them.
 */
export function beforeOperation(context: InSession, clusterId: string): Before {
    const start = runFacts(context).program.ofCluster<OfStart>("OperationStart", clusterId);
    const before = start === undefined ? nothing : beforeIn(start.news);
    const found = runFacts(context).seen.servers.get(clusterId);
    if (found === undefined) return before;
    const gone = before.ends.filter(node => {
        const id = before.reach.machines[node]?.serverId;
        return id !== undefined && !found.has(id);
    });
    return { ...before, lost: [...new Set([...before.lost, ...gone])] };
}

interface OfStart {
    spec?: { clusterId?: string };
    before?: Partial<BeforeInput>;
}

/** Each node of a large cluster asks, and the text has all machines. */
const beforeIn = onceFor(({ before: { reach, ...others } = {} }: OfStart): Before => {
    if (typeof reach !== "string" || reach === unknownValue) return nothing;
    return { ...nothing, ...others, ...(reach !== "" && { reach: JSON.parse(reach) }) };
});

import { runFacts } from "../../contract/run-facts";
import type { CommonInputs, InSession, ResourceType } from "../../contract/types";
import { failuresOf, text, unknownValue } from "../../contract/values";
import type { HookReach } from "./hook-inputs";

export interface HookReachInputs extends CommonInputs {
    clusterId: string;
    /** JSON of HookReach; "" if the state has no cluster. Secret. Not stored. */
    reach?: string;
    /** Number of the last operation whose end the state has. Not stored. */
    completed?: number;
    /** Keys of the hooks that have ended of operations whose end the state does not have. Not stored. */
    endedHooks?: string[];
    /** Nodes that have a NodeEnd in the state. Not stored. */
    ends?: string[];
    /** Nodes whose server, a resource of its own, a refresh has taken out of the state because it is gone. Not stored. */
    lost?: string[];
}

/** How a cluster is reached before an operation. */
interface Before {
    reach: HookReach;
    completed: number;
    endedHooks: readonly string[];
    ends: readonly string[];
    lost: readonly string[];
}

const nothing: Before = { reach: { machines: {} }, completed: 0, endedHooks: [], ends: [], lost: [] };

/** Undefined: this run leaves it out by --target or --exclude, or has no program. */
function inRun(context: InSession, clusterId: string): HookReachInputs | undefined {
    return runFacts(context).program.find<HookReachInputs>("HookReach", news => news.clusterId === clusterId)?.news;
}

/** Whether this run has what the last operation left. */
export function knowsBefore(context: InSession, clusterId: string): boolean {
    return inRun(context, clusterId) !== undefined;
}

/**
 * What the last operation has left, as this run's program found it in the state. `pulumi up --refresh` stores what its refresh has found only
 * later, so lost servers also as the refresh found them.
 */
export function beforeOperation(context: InSession, clusterId: string): Before {
    const given = inRun(context, clusterId);
    const before = given === undefined ? nothing : beforeIn(given);
    const found = runFacts(context).seen.servers.get(clusterId);
    if (found === undefined) return before;
    const gone = before.ends.filter(node => {
        const id = before.reach.machines[node]?.serverId;
        return id !== undefined && !found.has(id);
    });
    return { ...before, lost: [...new Set([...before.lost, ...gone])] };
}

function beforeIn({ reach, completed, endedHooks, ends, lost }: HookReachInputs): Before {
    if (typeof reach !== "string" || reach === unknownValue) return nothing;
    return {
        reach: reach === "" ? { machines: {} } : JSON.parse(reach),
        completed: Number(completed ?? 0),
        endedHooks: endedHooks ?? [],
        ends: ends ?? [],
        lost: lost ?? [],
    };
}

/**
 * Tells the run how the cluster was reached before its operations: only the state knows that, and the start of an operation comes before the
 * infrastructure has addresses. It stands before OperationStart, and keeps nothing of it.
 */
export const hookReach: ResourceType<HookReachInputs, HookReachInputs> = {
    check: (_olds, { reach: _, completed: __, endedHooks: ___, ends: ____, lost: _____, ...news }) => ({
        inputs: news,
        failures: failuresOf(news, { clusterId: text }),
    }),
    diff: () => ({ changes: false }),
    create: async inputs => ({ id: `${inputs.clusterId}/hook-reach`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async () => {},
};

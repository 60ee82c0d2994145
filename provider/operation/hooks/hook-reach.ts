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

class BeforeOperation extends Map<string, Before> {}

/** Clusters of which this run has what the last operation left, by id. */
class InRun extends Set<string> {}

/** Whether this run has it. Not if --target or --exclude leaves it out. */
export function knowsBefore({ session }: InSession, clusterId: string): boolean {
    return session.part(InRun).has(clusterId);
}

/** Ids of the servers that a refresh of this run has found in the cloud, by cluster. */
class ServersFound extends Map<string, ReadonlySet<string>> {}

/** `pulumi up --refresh` stores what its refresh has found only later: the program still reads the state of before. */
export function noteServersFound({ session }: InSession, clusterId: string, ids: readonly string[]): void {
    session.part(ServersFound).set(clusterId, new Set(ids));
}

const nothing: Before = { reach: { machines: {} }, completed: 0, endedHooks: [], ends: [], lost: [] };

/** What the last operation has left, as this run's program found it in the state; lost servers also as its refresh found them. */
export function beforeOperation({ session }: InSession, clusterId: string): Before {
    const before = session.part(BeforeOperation).get(clusterId) ?? nothing;
    const found = session.part(ServersFound).get(clusterId);
    if (found === undefined) return before;
    const gone = before.ends.filter(node => {
        const id = before.reach.machines[node]?.serverId;
        return id !== undefined && !found.has(id);
    });
    return { ...before, lost: [...new Set([...before.lost, ...gone])] };
}

/**
 * Tells the run how the cluster was reached before its operations: only the state knows that, and the start of an operation comes before the
 * infrastructure has addresses. It stands before OperationStart, and keeps nothing of it.
 */
export const hookReach: ResourceType<HookReachInputs, HookReachInputs> = {
    check: (_olds, { reach, completed, endedHooks, ends, lost, ...news }, context) => {
        context?.session.part(InRun).add(news.clusterId);
        if (context !== undefined && typeof reach === "string" && reach !== unknownValue) {
            const before = {
                reach: reach === "" ? { machines: {} } : JSON.parse(reach),
                completed: Number(completed ?? 0),
                endedHooks: endedHooks ?? [],
                ends: ends ?? [],
                lost: lost ?? [],
            };
            context.session.part(BeforeOperation).set(news.clusterId, before);
        }
        return { inputs: news, failures: failuresOf(news, { clusterId: text }) };
    },
    diff: () => ({ changes: false }),
    create: async inputs => ({ id: `${inputs.clusterId}/hook-reach`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async () => {},
};

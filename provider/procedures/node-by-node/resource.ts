import { runFacts } from "../../contract/run-facts";
import type { InSession, ResourceType } from "../../contract/types";
import { failuresOf, hasUnknown, text } from "../../contract/values";
import { keepsItsState } from "../given-rotation";
import { carryOutOnNodes } from "./carry-out";
import { lookBefore } from "./preview";
import type { NodeByNode, NodeLook, NodeTarget, StoredRequest } from "./procedure";

export interface RunTargets {
    /** Secret, for this run: the nodes in their order, JSON of NodeTarget[]. */
    targets: string;
}

export interface RequestState {
    /** Id of the request that is done on all nodes but those in `waiting`. */
    done: string;
}

/** The resource of such a request. It stands behind all Nodes: one that is dead is healed before. `type`: its own. */
export function nodeByNodeResource<Stored extends StoredRequest, Look extends NodeLook>(
    type: string,
    procedure: NodeByNode<Stored, Look>,
): ResourceType<Stored & RunTargets, Stored & RequestState> {
    const targetsOf = ({ clusterId }: StoredRequest, context: InSession): NodeTarget[] => {
        const program = runFacts(context).program.ofCluster<Stored & RunTargets>(type, clusterId);
        return JSON.parse(program?.news.targets ?? "[]");
    };
    const carryOut = async (stored: Stored, context: Parameters<typeof carryOutOnNodes>[3]) => {
        await carryOutOnNodes(procedure, stored, targetsOf(stored, context), context);
        return { ...stored, done: stored.requestId };
    };
    return {
        check: (_olds, news) => {
            const { targets: _, ...stored } = news;
            const failures = failuresOf(news, { clusterId: text, requestId: text });
            return { inputs: stored as unknown as Stored & RunTargets, failures };
        },
        needsCheckInCloud: (olds, news) =>
            (olds.requestId !== news.requestId || letsGo(olds, news)) && !hasUnknown([news.clusterId, news.targets]),
        checkInCloud: async (_olds, news, context) => ({
            failures: await lookBefore(procedure, news, JSON.parse(news.targets) as NodeTarget[], context),
        }),
        diff: (_id, olds, news) => {
            if (olds.done === news.requestId && !letsGo(olds, news)) return { changes: false };
            const lines = Object.entries(news.nodes).map(([node, what]) => `${node}: ${what}`);
            return { changes: true, note: lines.join("\n") };
        },
        create: async (inputs, context) => ({
            id: `${inputs.clusterId}/${procedure.noteName}`,
            outs: await carryOut(inputs, context),
        }),
        update: async (_id, _olds, news, context) => ({ outs: await carryOut(news, context) }),
        ...keepsItsState(),
    };
}

const letsGo = (olds: { waiting?: string[] }, news: StoredRequest) =>
    olds.waiting?.some(name => !news.waiting.includes(name)) ?? false;

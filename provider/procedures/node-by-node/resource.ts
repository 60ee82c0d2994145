import { hasUnknown } from "../../contract/values";
import { nodeLines, requestResource } from "../request-resource";
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
) {
    return requestResource<Stored & RunTargets, Stored & RequestState>({
        ...{ type, name: procedure.noteName, id: "requestId", ofRun: ["targets"] },
        needsCheckInCloud: (olds, news) =>
            (olds.requestId !== news.requestId || letsGo(olds, news)) && !hasUnknown([news.clusterId, news.targets]),
        checkInCloud: async (_olds, news, context) => ({
            failures: await lookBefore(procedure, news, JSON.parse(news.targets) as NodeTarget[], context),
        }),
        due: (olds, news) => (olds.done === news.requestId && !letsGo(olds, news) ? undefined : nodeLines(news.nodes)),
        carryOut: async (stored, { program, context }) => {
            if (program === undefined) throw new Error(`Pulumi has not checked ${type} in this run`);
            await carryOutOnNodes(procedure, stored, JSON.parse(program.targets), context);
            return { ...stored, done: stored.requestId };
        },
    });
}

const letsGo = (olds: { waiting?: string[] }, news: StoredRequest) =>
    olds.waiting?.some(name => !news.waiting.includes(name)) ?? false;

import { runFacts } from "../contract/run-facts";
import type { CommonInputs, ResourceType } from "../contract/types";
import { failuresOf, text } from "../contract/values";
import { endOfNode } from "./hooks/deferred-hooks";

export interface NodeEndInputs extends CommonInputs {
    clusterId: string;
    /** Name of the node. */
    node: string;
}

/**
 * Stands below all that belongs to a node: the engine deletes it last. Its deletion is recorded only when the hooks of the operation's end have
 * succeeded, so a run that is killed before loses none. Only clusters with hooks have it, and not with Heat, where nodes leave first.
 */
export const nodeEnd: ResourceType<NodeEndInputs, NodeEndInputs> = {
    check: (_olds, news) => ({ inputs: news, failures: failuresOf(news, { clusterId: text, node: text }) }),
    diff: () => ({ changes: false }),
    create: async inputs => ({ id: `${inputs.clusterId}/${inputs.node}/end`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async (_id, { clusterId, node, resourceUrn }, context) => {
        if (!runFacts(context).program.has(resourceUrn)) await endOfNode(clusterId, node, context);
    },
};

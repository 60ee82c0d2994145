import type { CommonInputs, ResourceType } from "../contract/types";
import { failuresOf, same, text } from "../contract/values";
import { numberChanges, type WishesInput } from "../operation/wishes";

export interface ClusterRecordInputs extends CommonInputs, WishesInput {
    clusterId: string;
    /** Not stored. Nodes whose heal an earlier run has not carried out to its end. */
    openHeals?: string[];
}

/**
 * The cluster's memory from run to run. It only notes, so it is stored before anything acts: OperationStart, which lets nodes leave,
 * depends on it, and all machines on that.
 */
export const clusterRecord: ResourceType<ClusterRecordInputs, ClusterRecordInputs> = {
    check: (olds, { openHeals: _, ...news }) => ({
        inputs: { ...news, ...numberChanges(olds, news) },
        failures: failuresOf(news, { clusterId: text }),
    }),
    // What has no number yet is stored without an update.
    diff: (_id, olds, news) => ({ changes: !same(olds.changeNumbers ?? {}, news.changeNumbers ?? {}) }),
    create: async inputs => ({ id: `${inputs.clusterId}/record`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async () => {},
};

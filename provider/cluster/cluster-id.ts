import { whatWasLeftAlone } from "../contract/give-up";
import type { CheckFailure, CommonInputs, ResourceType } from "../contract/types";
import { changed, failuresOf } from "../contract/values";
import { type ClusterId, clusterNameProblem, newClusterId } from "../identity";
import { keptOf, refusedInputs } from "./kept-inputs";

export interface ClusterIdInputs extends CommonInputs {
    clusterName: string;
    /** The input that gives the name. @default "clusterName" */
    nameInput?: "serverName";
    /**
     * JSON text of the inputs that cannot be changed, see KeptInputs. One text, because each property costs the engine
     * time.
     */
    kept?: string;
}

export type ClusterIdState = ClusterIdInputs & ClusterId;

/**
 * What a cluster is known by: created once, and never changed. It refuses changes of what a cluster keeps for its whole
 * life before any other resource runs.
 */
export const clusterIdResource: ResourceType<ClusterIdInputs, ClusterIdState> = {
    check: (olds, news) => ({
        inputs: news,
        failures: [...failuresOf(news, { clusterName: clusterNameProblem }), ...refusals(olds, news)],
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterName"]);
        return { changes: replaces.length > 0, replaces };
    },
    create: async inputs => {
        const made = newClusterId(inputs.clusterName);
        return { id: made.clusterId, outs: { ...inputs, ...made } };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),
    // The cluster's last resource to be deleted: the keys, the last access to machines that were left alone, are gone by then.
    delete: async (id, _state, context) => {
        const left = whatWasLeftAlone(context, id);
        if (left !== undefined) context.warn(left);
    },
};

function refusals(olds: Partial<ClusterIdInputs>, news: ClusterIdInputs): CheckFailure[] {
    const [before, after] = [olds, news].map(({ kept, clusterName }) => keptOf(kept, clusterName, news.nameInput));
    return refusedInputs(before!, after!);
}

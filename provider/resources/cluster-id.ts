import { type EndpointShape, refusedEndpointChange } from "../endpoint/endpoint-change";
import { type ClusterId, clusterNameProblem, newClusterId } from "../identity";
import { type FixedValues, refusedChanges, refuseEncryption } from "./fixed-inputs";
import { whatWasLeftAlone } from "./give-up";
import { refuseOtherMasters } from "./masters-that-stay";
import type { CheckFailure, CommonInputs, ResourceType } from "./types";
import { changed, failuresOf, unknownValue } from "./values";

export interface ClusterIdInputs extends CommonInputs {
    clusterName: string;
    /**
     * JSON text of the inputs that cannot be changed, see KeptInputs. One text, because each property costs the engine
     * time.
     */
    kept?: string;
}

/** The inputs with which a later program is compared. */
export interface KeptInputs {
    fixed: FixedValues;
    /** Ids in the cloud for inputs given by name, as far as they are known. */
    ids?: FixedValues;
    /** Names of the control-plane nodes. */
    masters: string[];
    /** Names of the workers. Undefined if an older release wrote the state. */
    workers?: string[];
    /** Undefined if an older release wrote the state, or if it is not known yet. */
    endpoint?: EndpointShape;
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
    const [before, after] = [kept(olds), kept(news)];
    return [
        ...refusedChanges(before.fixed, after.fixed, { olds: before.ids, news: after.ids }),
        ...refuseEncryption(before, after),
        ...refuseOtherMasters(before.masters, after.masters),
        ...refuseEndpoint(before, after),
    ];
}

/** Most changes of the endpoint are possible while the cluster is in use; see provider/resources/endpoint-move.ts. */
function refuseEndpoint(olds: KeptInputs, news: KeptInputs): CheckFailure[] {
    const [before, after] = [olds.endpoint, news.endpoint];
    if (before === undefined || after === undefined) return [];
    const masters = { before: olds.masters, after: news.masters };
    const newWorkers = olds.workers && news.workers?.filter(name => !olds.workers!.includes(name));
    const leavingWorkers = news.workers && olds.workers?.filter(name => !news.workers!.includes(name));
    const reason = refusedEndpointChange({ before, after, masters, newWorkers, leavingWorkers });
    return reason === undefined ? [] : [{ property: "", reason }];
}

/** The name is added to the fixed inputs: it is an input of its own. */
function kept({ clusterName, kept: text }: Partial<ClusterIdInputs>): KeptInputs {
    const { fixed, ...others }: KeptInputs =
        text === undefined || text === unknownValue ? { fixed: {}, masters: [] } : JSON.parse(text);
    return { fixed: { ...fixed, ...(clusterName !== undefined && { clusterName }) }, ...others };
}

import { clusterNameProblem, createIdentity, type Identity } from "../identity";
import { whatWasLeftAlone } from "./give-up";
import { keptOf, refusedInputs } from "./kept-inputs";
import type { CheckFailure, CommonInputs, ResourceType } from "./types";
import { changed, failuresOf } from "./values";

export interface ClusterIdentityInputs extends CommonInputs {
    clusterName: string;
    /**
     * Validity of the authorities and of the administrators' certificate, in days. Only used at creation. @default 3650
     */
    validDays?: number;
    /**
     * JSON text of the inputs that cannot be changed, see KeptInputs. One text, because each property costs the engine
     * time.
     */
    kept?: string;
}

export type ClusterIdentityState = ClusterIdentityInputs & Identity;

const validDays = (value: unknown) =>
    value === undefined || (typeof value === "number" && value >= 1)
        ? undefined
        : `must be a number of days, got ${JSON.stringify(value)}`;

/**
 * All keys of a cluster, created once and kept. It refuses changes of what a cluster keeps for its whole life before
 * any other resource runs.
 */
export const clusterIdentity: ResourceType<ClusterIdentityInputs, ClusterIdentityState> = {
    check: (olds, news) => ({
        inputs: news,
        failures: [...failuresOf(news, { clusterName: clusterNameProblem, validDays }), ...refusals(olds, news)],
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterName"]);
        return { changes: replaces.length > 0, replaces };
    },
    create: async inputs => {
        const identity = await createIdentity(inputs);
        return { id: identity.clusterId, outs: { ...inputs, ...identity } };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),
    // The cluster's last resource to be deleted: the last access to machines that were left alone goes with it.
    delete: async (id, _state, context) => {
        const left = whatWasLeftAlone(id);
        if (left !== undefined) context.warn(left);
    },
};

function refusals(olds: Partial<ClusterIdentityInputs>, news: ClusterIdentityInputs): CheckFailure[] {
    const [before, after] = [olds, news].map(({ kept, clusterName }) => keptOf(kept, clusterName));
    return refusedInputs(before!, after!);
}

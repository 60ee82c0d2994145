import { clusterNameProblem, createIdentity, type Identity } from "../identity";
import type { CommonInputs, ResourceType } from "./types";
import { changed, failuresOf } from "./values";

export interface ClusterIdentityInputs extends CommonInputs {
    clusterName: string;
    /** Of the authorities and the admin's certificate, in days. Enters only at creation. @default 3650 */
    validDays?: number;
}

export type ClusterIdentityState = ClusterIdentityInputs & Identity;

const validDays = (value: unknown) =>
    value === undefined || (typeof value === "number" && value >= 1)
        ? undefined
        : `must be a number of days, got ${JSON.stringify(value)}`;

/** All keys of a cluster, made once and kept: nothing but another cluster name ever makes new ones. */
export const clusterIdentity: ResourceType<ClusterIdentityInputs, ClusterIdentityState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, { clusterName: clusterNameProblem, validDays }),
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
    delete: async () => {},
};

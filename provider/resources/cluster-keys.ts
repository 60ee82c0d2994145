import { type Certificates, newKeySet, type PrivateKeys } from "../identity";
import type { CheckFailure, CommonInputs, ResourceType } from "./types";
import { changed, failuresOf, text, unknownValue } from "./values";

export interface ClusterKeysInputs extends CommonInputs {
    clusterId: string;
    /**
     * Validity of the authorities and of the administrators' certificate, in days. Only used when keys are created.
     * @default 3650
     */
    validDays?: number;
    /** Another number asks for new keys. The current ones become the previous ones. @default 0 */
    generation?: number;
}

/** Something that a rotation of keys changes. `previous`: valid until the rotation has reached every node. */
export interface Rotated<T> {
    current: T;
    previous?: T;
}

export interface ClusterKeysState extends ClusterKeysInputs {
    certificates: Rotated<Certificates>;
    /** Secret. */
    keys: Rotated<PrivateKeys>;
}

const validDays = (value: unknown) =>
    value === undefined || (typeof value === "number" && value >= 1)
        ? undefined
        : `must be a number of days, got ${JSON.stringify(value)}`;

/**
 * The keys of a cluster. They may change while the cluster lives, so they are apart from its id: a preview that does not
 * know the next keys still knows the id, by which all other resources belong to the cluster.
 */
export const clusterKeys: ResourceType<ClusterKeysInputs, ClusterKeysState> = {
    check: (olds, news) => ({
        inputs: news,
        failures: [...failuresOf(news, { clusterId: text, validDays }), ...refuseOtherCluster(olds, news)],
    }),
    // Never a replacement: it would lose the keys that the nodes have.
    diff: (_id, olds, news) => ({ changes: changed(withDefault(olds), withDefault(news), ["generation"]).length > 0 }),
    create: async inputs => {
        const { certificates, keys } = await newKeySet(inputs.validDays);
        const outs = { ...inputs, certificates: { current: certificates }, keys: { current: keys } };
        return { id: `${inputs.clusterId}/keys`, outs };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, news) => {
        const next = await newKeySet(news.validDays);
        return {
            outs: {
                ...news,
                certificates: { current: next.certificates, previous: olds.certificates.current },
                keys: { current: next.keys, previous: olds.keys.current },
            },
        };
    },
    delete: async () => {},
};

function withDefault({ generation = 0 }: ClusterKeysInputs) {
    return { generation };
}

function refuseOtherCluster(olds: Partial<ClusterKeysInputs>, news: ClusterKeysInputs): CheckFailure[] {
    const [before, after] = [olds.clusterId, news.clusterId];
    if (before === undefined || before === after || [before, after].includes(unknownValue)) return [];
    return [{ property: "clusterId", reason: `these are the keys of ${before}, they cannot become those of ${after}` }];
}

import type { Peer } from "./machine";
import { noteProgramMasters } from "./program-masters";
import type { CommonInputs, ResourceType } from "./types";
import { changed, failuresOf, hasUnknown, text, unknownValue } from "./values";

export interface MastersInputs extends CommonInputs {
    clusterId: string;
    /** The program's control-plane nodes: JSON of Peer[]. Secret. */
    peers: string;
}

/**
 * Records how the control-plane nodes of the last program are reached. All machines wait for its check: a master that begins a cluster
 * asks those that the program no longer has, and a machine that goes leaves through those that stay.
 */
export const masters: ResourceType<MastersInputs, MastersInputs> = {
    check: (olds, news, context) => {
        const { clusterId, peers } = news;
        if (!hasUnknown([clusterId, peers])) {
            noteProgramMasters(context, clusterId, peersIn(olds.peers), peersIn(peers));
        }
        return { inputs: news, failures: failuresOf(news, { clusterId: text, peers: text }) };
    },
    diff: (_id, olds, news) => ({ changes: changed(olds, news, ["clusterId", "peers"]).length > 0 }),
    create: async inputs => ({ id: `${inputs.clusterId}/masters`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async () => {},
};

function peersIn(text: string | undefined): Peer[] {
    return text === undefined || text === unknownValue ? [] : (JSON.parse(text) as Peer[]);
}

import type { Context, ResourceType } from "../../contract/types";
import {
    type GivenRotation,
    givenRotations,
    keepsItsState,
    keyNameOf,
    nodeLines,
    notesOfFirst,
    type StoredRotation,
} from "../given-rotation";
import { type AskedKey, addressOf, checkedBeforehand, type Reached, reachPeers, statesOf } from "../rotation-on-nodes";
import { whyNotRotate } from "../rotation-state";
import { carryOut } from "../stages";
import { encryptionKey, encryptionStages, isRotated, rotationStateArgv, rotationStateScript } from "./encryption-acts";

const asked: AskedKey = {
    ...encryptionKey,
    look: "look at the encryption keys",
    script: rotationStateScript,
    argv: rotationStateArgv,
};

const givenInputs = givenRotations<EncryptionRotationInputs>("EncryptionRotation", asked);

/** Of what a program gives, check leaves out of the state what is secret, and what only this run needs. */
export interface EncryptionRotationInputs extends StoredRotation, GivenRotation<object> {}

export interface EncryptionRotationState extends StoredRotation {
    /** The word whose rotation is done. */
    rotated: string;
    /** Name of the key that the nodes have; "": the one with which the cluster was made. */
    keyName: string;
}

/**
 * All Secrets are encrypted with the key that ClusterKeys has, and no control-plane node knows another one. After all Nodes: a new control-plane node gets the
 * keys in use from another one, and a node that is healed is healed first.
 */
export const encryptionRotation: ResourceType<EncryptionRotationInputs, EncryptionRotationState> = {
    check: (olds, news) => ({
        ...givenInputs.check(news),
        notes: notesOfFirst(olds, news, nodeLines(news.nodes)),
    }),
    ...checkedBeforehand(asked),
    diff: (_id, olds, news, context) => {
        if (!givenInputs.isNew(olds, news, context)) return { changes: false };
        return { changes: true, note: nodeLines(news.nodes) };
    },
    create: async (inputs, context) => ({
        id: `${inputs.clusterId}/encryption-rotation`,
        outs: await rotate(inputs, context),
    }),
    update: async (_id, _olds, news, context) => ({ outs: await rotate(news, context) }),
    ...keepsItsState(),
};

async function rotate(stored: StoredRotation, context: Context): Promise<EncryptionRotationState> {
    const { clusterId, word, nodes, resourceUrn } = stored;
    const given = givenInputs.forWord(stored, context);
    const { key } = given;
    const outs = {
        ...{ clusterId, word, nodes, ...(resourceUrn !== undefined && { resourceUrn }) },
        ...{ rotated: word, keyName: keyNameOf(key) },
    };
    if (key.name === undefined) return outs;
    context.report("look at the encryption keys of the control-plane nodes");
    const masters = reachPeers(given.peers, context);
    const states = await statesOf(asked, masters);
    if (isRotated(states, key.name)) return outs;
    const refusal = whyNotRotate(asked, states, clusterId);
    if (refusal !== undefined) throw refusal;
    const specOf = (master: Reached) => ({ keyName: key.name!, key: key.secret, address: addressOf(master) });
    await carryOut(encryptionStages(key.name), { masters, specOf }, { clusterId, context });
    return outs;
}

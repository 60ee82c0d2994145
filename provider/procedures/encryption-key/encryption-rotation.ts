import {
    inputsForWord,
    isNewKey,
    isRotatedFirst,
    keyNameOf,
    ofEachRotation,
    type RotationOfProgram,
    type StoredRotation,
} from "../key-rotation";
import { addressOf, type Reached, reachPeers } from "../reached";
import { nodeLines, type RunOfRequest, requestResource } from "../request-resource";
import { type AskedKey, checkedBeforehand, statesOf } from "../rotation-on-nodes";
import { whyNotRotate } from "../rotation-state";
import { carryOut } from "../stages";
import {
    encryptionKey,
    encryptionStages,
    isRotated,
    rotationStateArgv,
    rotationStateScript,
    untilUsedAlone,
} from "./encryption-acts";

const asked: AskedKey = {
    ...encryptionKey,
    look: "look at the encryption keys",
    script: rotationStateScript,
    argv: rotationStateArgv,
};

/** `key`, `madeFor` and `peers` are not stored. */
export interface EncryptionRotationInputs extends StoredRotation, RotationOfProgram<object> {}

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
export const encryptionRotation = requestResource<EncryptionRotationInputs, EncryptionRotationState>({
    type: "EncryptionRotation",
    name: "encryption-rotation",
    ...ofEachRotation,
    ...checkedBeforehand(asked),
    lineOfFirst: news => (isRotatedFirst(news) ? nodeLines(news.nodes) : undefined),
    due: (olds, news, program) => (isNewKey(olds, news, program) ? nodeLines(news.nodes) : undefined),
    carryOut: rotate,
});

async function rotate(
    stored: StoredRotation,
    { program, context }: RunOfRequest<EncryptionRotationInputs, EncryptionRotationState>,
): Promise<EncryptionRotationState> {
    const { clusterId, word } = stored;
    const { key, peers } = inputsForWord(asked, stored, program);
    const outs = { ...stored, rotated: word, keyName: keyNameOf(key) };
    if (key.name === undefined) return outs;
    context.report("look at the encryption keys of the control-plane nodes");
    const controlPlane = reachPeers(peers, context);
    const states = await statesOf(asked, controlPlane);
    const refusal = whyNotRotate(asked, states, clusterId);
    if (refusal !== undefined) throw refusal;
    const stages = isRotated(states, key.name) ? untilUsedAlone : encryptionStages(key.name);
    const specOf = (master: Reached) => ({ keyName: key.name!, key: key.secret, address: addressOf(master) });
    await carryOut(stages, { controlPlane, specOf }, { clusterId, context });
    return outs;
}

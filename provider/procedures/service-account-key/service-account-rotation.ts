import { graceEnd, isGraceOver } from "../../common/grace";
import type { InSession } from "../../contract/types";
import { hasUnknown } from "../../contract/values";
import { noteSigningKeys, unmade } from "../../vim/signing-keys";
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
import { type RotationState, whyNotRotate } from "../rotation-state";
import { carryOut } from "../stages";
import {
    allSign,
    isAlone,
    serviceAccountKey,
    serviceAccountStateArgv,
    serviceAccountStateScript,
    stagesAtEnd,
    stagesUntilSigned,
} from "./service-account-acts";

/** `key`, `madeFor` and `peers` are not stored. */
export interface ServiceAccountRotationInputs extends StoredInputs, RotationOfProgram<{ public: string }> {}

interface StoredInputs extends StoredRotation {
    /** How long tokens of the former key stay valid. */
    graceHours: number;
}

export interface ServiceAccountRotationState extends StoredInputs {
    /** The word whose key signs. */
    rotated: string;
    /** Name of the key that signs; "": the one with which the cluster was made. */
    keyName: string;
    /** Since when it signs on all control-plane nodes, ISO 8601; "": it always did. */
    signsSince: string;
    /** No other key is accepted. */
    ended: boolean;
}

const asked: AskedKey = {
    ...serviceAccountKey,
    look: "look at the service-account keys",
    script: serviceAccountStateScript,
    argv: serviceAccountStateArgv,
};

/**
 * Tokens of service accounts are signed by the key that ClusterKeys has. The first run after `graceHours` ends those of the former one. After all Nodes: a new
 * control-plane node gets the keys in use from another one, and a node that is healed is healed first.
 */
export const serviceAccountRotation = requestResource<ServiceAccountRotationInputs, ServiceAccountRotationState>({
    type: "ServiceAccountRotation",
    name: "service-account-rotation",
    ...ofEachRotation,
    ...checkedBeforehand(asked),
    refuse: (news, context) => {
        noteSigningKeys(context, news.clusterId, { signs: signingKey(news), alone: undefined });
        return [];
    },
    lineOfFirst: news => (isRotatedFirst(news) ? nodeLines(news.nodes) : undefined),
    due,
    carryOut: rotate,
});

function due(
    olds: ServiceAccountRotationState,
    news: StoredInputs,
    program: ServiceAccountRotationInputs | undefined,
    context: InSession | undefined,
): string | undefined {
    const isNew = isNewKey(olds, news, program);
    const isEnded = olds.ended || isOver(olds, news.graceHours);
    const ends = olds.keyName !== "" && (isNew ? isOver(olds, olds.graceHours) : isEnded);
    noteSigningKeys(context, news.clusterId, { alone: ends ? olds.keyName : undefined });
    if (!isNew && !isOver(olds, news.graceHours)) return undefined;
    const begins = (what: string) => (isOver(olds, olds.graceHours) ? `${what}; ${formerEnd}` : what);
    const lines = Object.entries(news.nodes).map(([node, what]) => [node, isNew ? begins(what) : atTheEnd]);
    return nodeLines(Object.fromEntries(lines));
}

const atTheEnd =
    "its API server restarts, and accepts tokens of the former service-account key no longer; Secrets with tokens, and the Vim, get others";

const formerEnd = "tokens of keys before the last one end, because their grace is over";

/** At preview the next key is not made yet: then the words differ. Undefined: the key with which the cluster was made. */
function signingKey({ key, word, madeFor }: ServiceAccountRotationInputs): string | undefined {
    if (hasUnknown([key, madeFor]) || madeFor !== word) return unmade;
    return key.name;
}

/** The grace is over, and the former key is still accepted. */
function isOver({ ended, signsSince }: ServiceAccountRotationState, graceHours: number): boolean {
    return isGraceOver({ ended, since: signsSince }, graceHours);
}

async function rotate(
    stored: StoredInputs,
    { olds, program, context }: RunOfRequest<ServiceAccountRotationInputs, ServiceAccountRotationState>,
): Promise<ServiceAccountRotationState> {
    const { clusterId, word, graceHours } = stored;
    const { key, peers } = inputsForWord(asked, stored, program);
    const common = { ...stored, rotated: word, keyName: keyNameOf(key) };
    if (key.name === undefined) return { ...common, signsSince: "", ended: true };
    context.report("look at the service-account keys of the control-plane nodes");
    const controlPlane = reachPeers(peers, context);
    const states = await statesOf(asked, controlPlane);
    const refusal = whyNotRotate(asked, states, clusterId);
    if (refusal !== undefined) throw refusal;
    // Whatever the state says, it may be older than the nodes: tokens of a key that still signs have a grace, too.
    const known = olds?.keyName === key.name && allSign(states, key.name) ? olds.signsSince : "";
    const exchanged = { keyName: key.name, key: key.secret, publicKey: key.public };
    if (known === "") {
        const formerKey = staysBeside(key.name, states, olds);
        const specOf = (master: Reached) => ({ ...exchanged, formerKey, address: addressOf(master) });
        const renewed = allSign(states, formerKey) ? formerKey : "";
        await carryOut(stagesUntilSigned(renewed), { controlPlane, specOf }, { clusterId, context });
    }
    const signsSince = known === "" ? new Date().toISOString() : known;
    const outs = { ...common, signsSince, ended: false };
    if (!isAlone(states, key.name) && !isOver(outs, graceHours)) {
        context.note(
            `tokens of the former service-account key are accepted until ${graceEnd(signsSince, graceHours).replace(/\.\d+Z$/, "Z")}; the first pulumi up after that ends them`,
        );
        return outs;
    }
    // Also where the files say that it is alone: a run may have been stopped before an API server restarted.
    const specOf = (master: Reached) => ({ ...exchanged, address: addressOf(master) });
    await carryOut(stagesAtEnd(key.name), { controlPlane, specOf }, { clusterId, context });
    return { ...outs, ended: true };
}

/** Keys whose grace is over end with the next rotation, at the latest: where each run has another word, no run would end them. */
function staysBeside(keyName: string, states: readonly RotationState[], olds?: ServiceAccountRotationState): string {
    if (olds === undefined || !isOver(olds, olds.graceHours)) return "";
    return states.every(({ signs }) => [keyName, olds.keyName].includes(signs)) ? olds.keyName : "";
}

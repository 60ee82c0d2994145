import { randomBytes } from "node:crypto";
import { NfvError } from "../errors";
import {
    isRotated,
    parseRotationState,
    type RotationState,
    rotationStateArgv,
    rotationStateScript,
    type Stage,
    stagesAfterRewriting,
    stagesBeforeRewriting,
    stepsOf,
    whyNotAtPreview,
    whyNotRotate,
} from "../kubeadm/encryption-rotation";
import { rewriteSecrets } from "../kubeadm/rewrite-secrets";
import type { Connection } from "../ssh";
import { forgetStep, plan, runAct, runSteps } from "../steps";
import { query } from "../steps/query";
import { asFailures } from "./check-cluster";
import { connectTo, isUnreachable, named, type Peer } from "./machine";
import type { CommonInputs, Context, InSession, ResourceType } from "./types";
import { failuresOf, hasUnknown, text } from "./values";

/** What a program gives. Of that, check leaves out of the state what is secret, and what only this run needs. */
export interface EncryptionRotationInputs extends StoredInputs {
    /** The word for which the key was made. Another one than `word` at `up`: --target leaves out ClusterKeys. */
    madeFor: string;
    /** Secret. Without a name it is the key with which the cluster was made: there is nothing to do. */
    key: { secret: string; name?: string };
    /** Secret: the control-plane nodes, JSON of Peer[]. */
    peers: string;
}

interface StoredInputs extends CommonInputs {
    clusterId: string;
    /** The word of the program: another one rotates once more. */
    word: string;
    /** Shown at preview: what happens on each node. */
    nodes: Record<string, string>;
}

export interface EncryptionRotationState extends StoredInputs {
    /** The word whose rotation is done. */
    rotated: string;
    /** Name of the key that the nodes have; "": the one with which the cluster was made. */
    keyName: string;
}

/** What the program has given in this run, by cluster. No key and no login is stored: a former one would stay in the state. */
class GivenKeys extends Map<string, EncryptionRotationInputs> {}

/**
 * All Secrets are encrypted with the key that ClusterKeys has, and no control-plane node knows another one. After all Nodes: a new control-plane node gets the
 * keys in use from another one, and a node that is healed is healed first.
 */
export const encryptionRotation: ResourceType<EncryptionRotationInputs, EncryptionRotationState> = {
    check: (_olds, news, context) => {
        context?.session.part(GivenKeys).set(news.clusterId, news);
        const { madeFor: _, key: __, peers: ___, ...stored } = news;
        return {
            inputs: stored as EncryptionRotationInputs,
            failures: failuresOf(news, { clusterId: text, word: text }),
        };
    },
    // Where the cluster answers, a preview says already why a rotation would be refused.
    needsCheckInCloud: (olds, { clusterId, word, peers }) => olds.word !== word && !hasUnknown([clusterId, peers]),
    checkInCloud: async (_olds, news, context) => ({ failures: asFailures(await whyNotNow(news, context)) }),
    diff: (_id, olds, news, context) => {
        const { key } = givenIn(context, news.clusterId) ?? {};
        const isOther = key !== undefined && !hasUnknown([key]) && nameOf(key) !== olds.keyName;
        if (olds.rotated === news.word && !isOther) return { changes: false };
        const lines = Object.entries(news.nodes).map(([node, what]) => `${node}: ${what}`);
        return { changes: true, note: lines.join("\n") };
    },
    create: async (inputs, context) => ({
        id: `${inputs.clusterId}/encryption-rotation`,
        outs: await rotate(inputs, context),
    }),
    update: async (_id, _olds, news, context) => ({ outs: await rotate(news, context) }),
    read: async (id, state) => ({ id, props: state }),
    delete: async () => {},
};

interface Reached extends Peer {
    link: Connection;
}

function givenIn(context: InSession | undefined, clusterId: string): EncryptionRotationInputs | undefined {
    return context?.session.part(GivenKeys).get(clusterId);
}

const nameOf = ({ name = "" }: EncryptionRotationInputs["key"]) => name;

async function rotate(stored: StoredInputs, context: Context): Promise<EncryptionRotationState> {
    const { clusterId, word, nodes, resourceUrn } = stored;
    const given = givenIn(context, clusterId);
    if (given?.madeFor !== word) throw leftOut(word);
    const { key } = given;
    const outs = {
        ...{ clusterId, word, nodes, ...(resourceUrn !== undefined && { resourceUrn }) },
        ...{ rotated: word, keyName: nameOf(key) },
    };
    if (key.name === undefined) return outs;
    const masters = reach(given, context);
    const states = await Promise.all(masters.map(stateOf));
    if (isRotated(states, key.name)) return outs;
    const refusal = whyNotRotate(states, clusterId);
    if (refusal !== undefined) throw refusal;
    await exchange(masters, { keyName: key.name, key: key.secret, clusterId }, context);
    return outs;
}

type Exchange = Omit<StageRequest, "stage">;

async function exchange(masters: readonly Reached[], request: Exchange, context: Context): Promise<void> {
    const onAll = async (stages: readonly Stage[]) => {
        for (const stage of stages) for (const master of masters) await doStage(master, { ...request, stage }, context);
    };
    const { clusterId, keyName } = request;
    const { name: node, link: connection } = masters[0]!;
    const { report, signal } = context;
    await onAll(stagesBeforeRewriting);
    await named(node, () => runAct(rewriteSecrets(keyName), { node, clusterId, connection, report, signal }));
    await onAll(stagesAfterRewriting);
}

function reach({ peers }: EncryptionRotationInputs, context: Context): Reached[] {
    context.report("look at the encryption keys of the control-plane nodes");
    return (JSON.parse(peers) as Peer[]).map(peer => ({ ...peer, link: connectTo(context, peer.connection) }));
}

function leftOut(word: string): NfvError {
    return new NfvError({
        code: "ROTATION_FAILED",
        step: "rotate the encryption key",
        cause: `there is no key for the word "${word}", because this run leaves out the resource ClusterKeys`,
        hint: "Run pulumi up without --target and --exclude.",
    });
}

/** Nodes that are new in this run do not answer yet, or are no members: only what members say counts. */
async function whyNotNow(inputs: EncryptionRotationInputs, context: Context): Promise<NfvError | undefined> {
    const looked = await Promise.all(
        reach(inputs, context).map(async master => {
            try {
                return { node: master.name, state: await stateOf(master) };
            } catch (error) {
                if (!isUnreachable(error)) throw error;
                return { node: master.name, unreachable: error };
            }
        }),
    );
    return whyNotAtPreview(looked, inputs.clusterId);
}

const addressOf = ({ address, connection }: Peer) => address ?? connection.host;

async function stateOf(master: Reached): Promise<RotationState> {
    const { name: node, link } = master;
    const step = "look at the encryption keys";
    return named(node, async () => {
        try {
            const how = { script: rotationStateScript, argv: rotationStateArgv, timeoutSeconds: 120 };
            const env = { ADDRESS: addressOf(master) };
            return parseRotationState(node, await query(link, { step, ...how, env, node }));
        } catch (error) {
            if (!isUnreachable(error)) throw error;
            const hint = `All control-plane nodes must answer before the encryption key is rotated. Start ${node}, or correct how it is reached; then run pulumi up again.`;
            throw new NfvError({ code: error.code, node, step, cause: error.reason, hint });
        }
    });
}

interface StageRequest {
    stage: Stage;
    keyName: string;
    key: string;
    clusterId: string;
}

async function doStage(
    master: Reached,
    { clusterId, stage, ...request }: StageRequest,
    context: Context,
): Promise<void> {
    const { name: node, link: connection } = master;
    // Their fingerprints stay nowhere.
    const steps = plan(stepsOf(stage), { ...request, address: addressOf(master) }, randomBytes(16).toString("hex"));
    const { report, signal } = context;
    await named(node, async () => {
        await runSteps(steps, { node, clusterId, connection, done: {}, report, signal });
        // The journal is for what stays.
        for (const { id } of steps) await forgetStep(connection, id);
    });
}

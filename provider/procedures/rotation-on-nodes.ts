import { NfvError } from "../common/errors";
import type { Context, ResourceType } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { isUnreachable, named } from "../machine/machine";
import { healedInRun } from "../operation/healed-in-run";
import { query } from "../steps/query";
import { asFailures } from "../vim/check-cluster";
import type { RotationOfProgram, StoredRotation } from "./key-rotation";
import { addressOf, type Reached, reachPeers } from "./reached";
import {
    type Looked,
    parseRotationState,
    type RotatedKey,
    type RotationState,
    whyNotAtPreview,
} from "./rotation-state";

/** A key that is rotated, and how a control-plane node says which ones it has. */
export interface AskedKey extends RotatedKey {
    /** "look at the encryption keys" */
    look: string;
    script: string;
    argv: readonly string[];
}

/** Where the cluster answers, a preview says already why a rotation would be refused. */
export function checkedBeforehand<Inputs extends StoredRotation & RotationOfProgram<unknown>, State extends object>(
    asked: AskedKey,
    /** It can only go on, and `up` decides what it needs for that. */
    isUnderWay: (states: readonly RotationState[], news: Inputs) => boolean = () => false,
): Pick<ResourceType<Inputs, State>, "needsCheckInCloud" | "checkInCloud"> {
    return {
        needsCheckInCloud: (olds, { clusterId, word, peers }) => olds.word !== word && !hasUnknown([clusterId, peers]),
        checkInCloud: async (_olds, news, context) => ({
            failures: asFailures(await whyNotNow(asked, news, context, states => isUnderWay(states, news))),
        }),
    };
}

/** How long a component may take until it answers, in seconds: at a preview a busy one; at `up` one that a run restarted which was killed then. */
const patience = { preview: 24, up: 240 };

export async function statesOf(key: AskedKey, masters: readonly Reached[]): Promise<RotationState[]> {
    return Promise.all(masters.map(master => stateOf(key, master, patience.up)));
}

async function stateOf(
    { look: step, input, script, argv }: AskedKey,
    master: Reached,
    seconds: number,
): Promise<RotationState> {
    const { name: node, link } = master;
    return named(node, async () => {
        try {
            const how = { script, argv, timeoutSeconds: 2 * seconds + 100 };
            const env = { ADDRESS: addressOf(master), PATIENCE: String(seconds) };
            return parseRotationState(node, await query(link, { step, ...how, env, node }));
        } catch (error) {
            if (!isUnreachable(error)) throw error;
            const hint = `All control-plane nodes must answer for ${input}. Start ${node}, or correct how it is reached; then run pulumi up again.`;
            throw new NfvError({ code: error.code, node, step, cause: error.reason, hint });
        }
    });
}

/** Nodes that are new in this run do not answer yet, or are no members: only what members say counts. */
async function whyNotNow(
    key: AskedKey,
    { peers, clusterId }: { peers: string; clusterId: string },
    context: Context,
    isUnderWay: (states: readonly RotationState[]) => boolean,
): Promise<NfvError | undefined> {
    const looked = await lookAt(key, reachPeers(peers, context), "preview");
    if (isUnderWay(looked.flatMap(({ state }) => state ?? []))) return undefined;
    return whyNotAtPreview(key, looked, clusterId, healedInRun(context, clusterId));
}

/** What each control-plane node says, or why it does not answer. */
export function lookAt(key: AskedKey, masters: readonly Reached[], when: keyof typeof patience): Promise<Looked[]> {
    return Promise.all(
        masters.map(async master => {
            try {
                return { node: master.name, state: await stateOf(key, master, patience[when]) };
            } catch (error) {
                if (!isUnreachable(error)) throw error;
                return { node: master.name, unreachable: error };
            }
        }),
    );
}

import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { isUnreachable } from "../../machine/machine";
import { nodesThatWait } from "../../member/joins-later";
import { reachPeers } from "../reached";
import { NodeTurns } from "./node-turn";
import type { NodeByNode, NodeLook, NodeTarget, ReachedTarget, StoredRequest } from "./procedure";
import { requestDeadlines } from "./procedure";
import { isBegun, stageOf } from "./request-note";
import { lookAtNodes, type SeenNode } from "./seen-nodes";
import { atOnce, inGroups } from "./turns";

/** The act ahead runs on so many nodes at once. */
const aheadAtOnce = 10;

/** Control-plane nodes have their turn one by one, then workers as their pools and the order say. @throws what stopped it, with the node; those behind it were not touched */
export async function carryOutOnNodes(
    procedure: NodeByNode,
    stored: StoredRequest,
    targets: readonly NodeTarget[],
    context: Context,
): Promise<void> {
    const waiting = nodesThatWait(context, stored.clusterId);
    const reached = (reachPeers(JSON.stringify(targets), context) as ReachedTarget[]).filter(
        ({ name }) => !waiting.includes(name),
    );
    const controlPlane = reached.filter(({ role }) => role === "controlPlane");
    const turns = new NodeTurns(procedure, stored, controlPlane, context);
    const seen = await untilAllReady(turns, reached);
    // A node in the middle of its turn ends it although pauseAfter is before it: it is not left cordoned.
    const going = reached.filter(({ name, waits }) => !waits || seen[name]?.ours);
    const looks = await Promise.all(going.map(target => firstLook(turns, target, seen[target.name])));
    const stages = new Map(going.map(({ name }, i) => [name, stageOf(looks[i]!, stored.requestId)]));
    const left = going.filter(({ name }) => stages.get(name) !== "done");
    const isInMiddle = ({ name }: NodeTarget) => seen[name]?.ours || isBegun(stages.get(name));
    // A node that cannot do its part stops the run before the first one is touched.
    const ahead = procedure.ahead?.(stored);
    if (ahead !== undefined) await atOnce(left, aheadAtOnce, target => turns.here(target, ahead), context);
    const one = (target: ReachedTarget) => turns.turnOf(target, seen[target.name]?.ours === true);
    // A node that a stopped run has left is away already: no other node goes at the same time.
    const ordered = [...left.filter(isInMiddle), ...left.filter(each => !isInMiddle(each))];
    for (const target of ordered.filter(({ role }) => role === "controlPlane")) await one(target);
    const workers = ordered.filter(({ role }) => role === "worker");
    for (const worker of workers.filter(isInMiddle)) await one(worker);
    for (const group of inGroups(workers.filter(each => !isInMiddle(each))))
        await atOnce(group, group[0]!.atOnce, one, context);
    if (turns.summary.length > 0) context.note(turns.summary.join("\n"));
}

/** How long a node that a stopped run has left may be away. */
const awaySeconds = ({ procedure, stored }: NodeTurns) => procedure.awaySeconds?.(stored) ?? 0;

/** Waits until all are Ready but those that our drain has cordoned: these are in the middle of their turn. */
async function untilAllReady(turns: NodeTurns, targets: readonly ReachedTarget[]): Promise<Record<string, SeenNode>> {
    // Without a majority of three, the API is away while a control-plane node reboots that a stopped run has left.
    const isAlone = turns.controlPlane.length < 3;
    const until = performance.now() + Math.max(requestDeadlines.ready, isAlone ? awaySeconds(turns) : 0) * 1000;
    for (;;) {
        const seen = await nodesSeen(turns, !isAlone || performance.now() > until);
        const away = targets.filter(({ name, waits }) => !waits && !seen[name]?.ready && !seen[name]?.ours);
        if (away.length === 0) return seen;
        const names = away.map(({ name }) => name).join(", ");
        if (performance.now() > until) {
            const cause = `not Ready: ${names}. Repair or heal them first; nothing was changed in this run`;
            throw new NfvError({ code: "REQUEST_FAILED", step: turns.procedure.step, cause });
        }
        await turns.pause(`wait until ${names} are Ready`);
    }
}

/** `mustAnswer`: or else the cluster says nothing yet. */
async function nodesSeen(turns: NodeTurns, mustAnswer: boolean) {
    try {
        return await lookAtNodes(await turns.apiNode(), turns.procedure);
    } catch (error) {
        if (mustAnswer || !(error instanceof NfvError)) throw error;
        return {};
    }
}

/** A machine that a stopped run has left is waited for. */
async function firstLook(turns: NodeTurns, target: ReachedTarget, seen: SeenNode | undefined): Promise<NodeLook> {
    const { name, link } = target;
    const seconds = Math.max(requestDeadlines.answer, seen?.ours ? awaySeconds(turns) : 0);
    const until = performance.now() + seconds * 1000;
    for (;;) {
        try {
            return await turns.look(target);
        } catch (error) {
            if (!isUnreachable(error)) throw error;
            if (performance.now() > until) throw unreachable(error, name);
        }
        await link.close();
        await turns.pause(`wait until ${name} answers`);
    }
}

function unreachable({ code, node, step, reason: cause, output }: NfvError, name: string): NfvError {
    const hint = `No node was touched in this run. Start ${name}, or correct how it is reached; then run pulumi up again: it goes on.`;
    return new NfvError({ code, node, step, cause, hint, output });
}

import { NfvError } from "../../common/errors";
import type { CheckFailure, Context } from "../../contract/types";
import { connectTo } from "../../machine/machine";
import { readyControlPlaneNode } from "../../machine/machine-statuses";
import { healedInRun } from "../../operation/healed-in-run";
import { asFailures } from "../../vim/check-cluster";
import { reachPeers } from "../reached";
import { lookAt } from "../rotation-on-nodes";
import { stateQuestion, whyNotNext } from "./at-risk";
import type { NodeByNode, NodeLook, NodeTarget, StoredRequest } from "./procedure";
import { isBegun, stageOf } from "./request-note";
import { lookAtNodes, type SeenNode } from "./seen-nodes";

/** Says what happens where, as far as the machines answer, and returns why the run would be refused. */
export async function lookBefore(
    procedure: NodeByNode,
    stored: StoredRequest,
    targets: readonly NodeTarget[],
    context: Context,
): Promise<CheckFailure[]> {
    const { clusterId, requestId } = stored;
    const controlPlane = targets.filter(({ role }) => role === "controlPlane");
    let seen: Record<string, SeenNode>;
    try {
        seen = await lookAtNodes(
            (await readyControlPlaneNode(context, clusterId, controlPlane, "any")).connection,
            procedure,
        );
    } catch (error) {
        context.note(`what happens on each node was not found out: ${reasonOf(error)}`);
        return [];
    }
    const looks = await Promise.all(targets.map(target => answerOf(procedure, target, stored, context)));
    const lines = targets.map(
        (target, i) => `${i + 1}. ${lineOf(procedure, { target, seen: seen[target.name] }, looks[i]!, stored)}`,
    );
    context.note([procedure.headline(controlPlane.length), ...lines].join("\n"));
    const refused = targets.flatMap(({ name }, i) => {
        const answer = looks[i]!;
        return isLook(answer) ? (procedure.refuse?.(name, answer) ?? []) : [];
    });
    const isUnderWay =
        Object.values(seen).some(({ ours }) => ours) ||
        looks.some(each => isLook(each) && isBegun(stageOf(each, requestId)));
    if (isUnderWay) return refused;
    const question = stateQuestion(procedure);
    const healed = healedInRun(context, clusterId);
    const others = controlPlane.filter(({ name }) => !healed.includes(name));
    const looked = await lookAt(question, reachPeers(JSON.stringify(others), context), "preview");
    const away = looked.find(({ unreachable }) => unreachable !== undefined)?.unreachable;
    const states = looked.flatMap(({ state }) => state ?? []);
    return [...refused, ...asFailures(away ?? whyNotNext(question, states, clusterId, controlPlane))];
}

const isLook = (answer: NodeLook | NfvError): answer is NodeLook => !(answer instanceof NfvError);
const reasonOf = (error: unknown) => (error instanceof NfvError ? error.reason : String(error));

/** The machine's facts, or why it does not answer. */
async function answerOf(
    procedure: NodeByNode,
    { name, connection }: NodeTarget,
    stored: StoredRequest,
    context: Context,
): Promise<NodeLook | NfvError> {
    try {
        return await procedure.look(connectTo(context, connection), name, stored);
    } catch (error) {
        if (error instanceof NfvError) return error;
        throw error;
    }
}

function lineOf(
    procedure: NodeByNode,
    { target, seen }: { target: NodeTarget; seen: SeenNode | undefined },
    answer: NodeLook | NfvError,
    stored: StoredRequest,
): string {
    const { name, waits } = target;
    if (waits && !seen?.ours)
        return `${name}: stays as it is until ${procedure.request.split(".")[0]}.pauseAfter lets it go`;
    if (!isLook(answer)) return `${name}: it does not say what is due: ${answer.reason}`;
    const stage = stageOf(answer, stored.requestId);
    if (stage === "done") return `${name}: done already`;
    if (stage !== undefined || seen?.ours) return `${name}: its ${procedure.turn} goes on`;
    return `${name}: ${procedure.lineOf(target, answer, stored)}`;
}

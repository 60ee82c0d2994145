import { removeFormerPoliciesScript } from "../../admission/virtual-address";
import { NfvError } from "../../common/errors";
import type { EndpointSpec } from "../../common/model";
import type { Context } from "../../contract/types";
import { placeOf } from "../../endpoint/endpoint-change";
import { type MovePlan, type NodeAtEndpoint, planMove } from "../../endpoint/plan-move";
import { urlOf } from "../../endpoint/side-by-side";
import { loadBalancerSteps, takeAwayScript } from "../../endpoint/take-away";
import { untilControlPlaneReady } from "../../machine/control-plane-ready";
import { named, type Peer } from "../../machine/machine";
import { type Act, forgetStep } from "../../steps";
import { query } from "../../steps/query";
import { addressOf, type Reached, reach } from "../reached";
import { carryOut } from "../stages";
import { endpointArgv, lookScript, moveNodeScript, parseLook, proveScript, tellClusterScript } from "./move-endpoint";

export interface EndpointMove {
    clusterId: string;
    endpoint: EndpointSpec;
    controlPlane: readonly Peer[];
    workers: readonly Peer[];
}

interface Member extends NodeAtEndpoint {
    reached: Reached;
}

const lookSeconds = 20;

/**
 * Moves all nodes to the wanted endpoint. Before this, their Hosts and Nodes made all control-plane nodes serve it
 * besides the former one. Then the cluster's configuration gets the new endpoint, each node moves and becomes Ready
 * again, and only then the former endpoint is removed. The run may be killed anywhere: each part checks what is done
 * already. If nothing has to move, it only checks.
 * @throws ENDPOINT_UNFINISHED with the nodes that did not answer; all others have moved by then, and the former
 * endpoint stays
 */
export async function moveEndpoint(move: EndpointMove, context: Context): Promise<void> {
    context.report("look which endpoint the nodes use");
    const { clusterId, controlPlane } = move;
    const members = await lookAtAll(move, context);
    const plan = planMove(move.endpoint, members);
    if (plan === undefined) return;
    const member = (name: string) => members.find(each => each.name === name)!;
    const on = (names: readonly string[]) => names.map(name => member(name).reached);
    const missing = plan.missing.filter(({ name }) => member(name).isMaster);
    refuseWithout(missing, move, "nothing was moved");
    const run = { clusterId, context };
    const inTurn = (names: readonly string[], act: Act) => ({ act: actIn(move, act), on: on(names), atOnce: 1 });
    await carryOut([inTurn(plan.prove, prove)], {}, run);
    const { name: teller } = await untilControlPlaneReady(context, clusterId, controlPlane, "first");
    const moved = await carryOut(
        [inTurn([teller], tellCluster), { ...inTurn(plan.move, moveNode), toleratesUnreachable: true }],
        {},
        run,
    );
    refuseWithout([...plan.missing, ...moved], move, "all others have moved");
    // If the run is killed behind the removal, the load balancer's steps must not count as done.
    const forgotten = move.endpoint.vip === undefined ? loadBalancerSteps : [];
    for (const { name, link } of on(plan.takeAway))
        for (const step of forgotten) await named(name, () => forgetStep(link, step));
    const takenAway = plan.takeAway.flatMap((name, i) => [
        // Before the last record of a former endpoint is deleted: without a record no later run would come here again.
        ...(i === plan.takeAway.length - 1 ? [inTurn([teller], freeAddress)] : []),
        inTurn([name], takeFormerAway),
        ...(member(name).isMaster ? [inTurn([name], prove)] : []),
    ]);
    await carryOut(takenAway, {}, run);
}

/** Whether a control-plane node still has something of a former endpoint; undefined if unknown. */
export async function isMoving(context: Context, controlPlane: readonly Peer[]): Promise<boolean | undefined> {
    const looks = await Promise.all(reach(controlPlane, context).map(node => look(node, true)));
    if (looks.some(({ seen }) => seen !== undefined && seen.formers.length > 0)) return true;
    return looks.every(({ seen }) => seen !== undefined) ? false : undefined;
}

/*
 * What is done on a node, in its own name: each acts on files and services of its machine. They are acts, because a move that
 * was interrupted begins again with a look at each node.
 */
const onNode = (id: string, title: string, run: string, timeoutSeconds: number, disruptive?: string): Act => ({
    ...{ id, title, target: "self", run, timeoutSeconds },
    ...(disruptive && { disruptive }),
});
const prove = onNode("endpoint.prove", "prove the endpoint", proveScript, 180);
const tellCluster = onNode("endpoint.tell-cluster", "tell the cluster its endpoint", tellClusterScript, 300);
const moveNode = onNode("endpoint.move", "move the node to the endpoint", moveNodeScript, 300, "kubelet restarts");
const freeAddress = onNode(
    "endpoint.free-address",
    "free the former address for Services",
    removeFormerPoliciesScript,
    60,
);
const takeFormerAway = onNode("endpoint.take-away", "take the former endpoint away", takeAwayScript, 120);

/** The act on a node. Workers have no API server, and so no ADDRESS. */
function actIn({ endpoint, controlPlane }: EndpointMove, act: Act) {
    return (node: Reached): Act => {
        const isMaster = controlPlane.some(({ name }) => name === node.name);
        const env = {
            NAME: node.name,
            ADDRESS: isMaster ? addressOf(node) : "",
            HOST: endpoint.host,
            PORT: String(endpoint.port),
            URL: urlOf(endpoint),
            VIP: endpoint.vip === undefined ? "" : "yes",
            LOAD_BALANCER: isMaster ? "yes" : "",
        };
        return { ...act, env };
    };
}

function refuseWithout(missing: MovePlan["missing"], { endpoint }: EndpointMove, how: string): void {
    if (missing.length === 0) return;
    const lines = missing.map(({ name, reason }) => `${name}: ${reason}`);
    throw new NfvError({
        code: "ENDPOINT_UNFINISHED",
        step: `move to ${placeOf(endpoint)}`,
        cause: `these nodes did not answer; ${how}\n${lines.join("\n")}`,
    });
}

function lookAtAll({ controlPlane, workers }: EndpointMove, context: Context): Promise<Member[]> {
    return Promise.all([
        ...reach(controlPlane, context).map(node => look(node, true)),
        ...reach(workers, context).map(node => look(node, false)),
    ]);
}

async function look(reached: Reached, isMaster: boolean): Promise<Member> {
    const { name, link } = reached;
    const member = {
        ...{ name, reached, isMaster },
        ...(isMaster && { ownServer: urlOf({ host: addressOf(reached), port: 6443 }) }),
    };
    try {
        const call = { script: lookScript, argv: endpointArgv, timeoutSeconds: lookSeconds };
        return { ...member, seen: parseLook(await query(link, { ...call, step: "look at the endpoint" })) };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return { ...member, reason: error.reason };
    }
}

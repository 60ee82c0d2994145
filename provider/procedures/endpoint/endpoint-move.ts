import { removeFormerPoliciesScript } from "../../admission/virtual-address";
import { NfvError } from "../../common/errors";
import type { EndpointSpec } from "../../common/model";
import type { Context, InSession } from "../../contract/types";
import { placeOf } from "../../endpoint/endpoint-change";
import { type MovePlan, type NodeAtEndpoint, planMove } from "../../endpoint/plan-move";
import { urlOf } from "../../endpoint/side-by-side";
import { loadBalancerSteps, takeAwayScript } from "../../endpoint/take-away";
import { untilControlPlaneReady } from "../../machine/control-plane-ready";
import { connectTo, isUnreachable, named, type Peer } from "../../machine/machine";
import type { Connection } from "../../ssh";
import { type Act, forgetStep, runAct } from "../../steps";
import { query } from "../../steps/query";
import { endpointArgv, lookScript, moveNodeScript, parseLook, proveScript, tellClusterScript } from "./move-endpoint";

export interface EndpointMove {
    clusterId: string;
    endpoint: EndpointSpec;
    controlPlane: readonly Peer[];
    workers: readonly Peer[];
}

interface Member extends NodeAtEndpoint {
    connection: Connection;
    /** Control-plane nodes only: where its own API server listens. */
    address: string;
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
    const members = await lookAtAll(move, context);
    const plan = planMove(move.endpoint, members);
    if (plan === undefined) return;
    const run = new Run(move, members, context);
    refuseWithout(
        plan.missing.filter(({ name }) => run.member(name).isMaster),
        move,
        "nothing was moved",
    );
    for (const name of plan.prove) await run.act(name, prove);
    const { name: teller } = await untilControlPlaneReady(context, move.clusterId, move.controlPlane, "first");
    await run.act(teller, tellCluster);
    const missing = [...plan.missing, ...(await moveAll(plan, run))];
    refuseWithout(missing, move, "all others have moved");
    for (const [i, name] of plan.takeAway.entries()) {
        // Before the last record of a former endpoint is deleted: without a record no later run would come here again.
        if (i === plan.takeAway.length - 1) {
            await run.act(teller, freeAddress);
        }
        await takeAway(name, run);
    }
}

/** Whether a control-plane node still has something of a former endpoint; undefined if unknown. */
export async function isMoving(context: InSession, controlPlane: readonly Peer[]): Promise<boolean | undefined> {
    const looks = await Promise.all(controlPlane.map(peer => look(context, peer, true, "")));
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

/** State that a run on the nodes shares between its parts. */
class Run {
    private done = 0;

    constructor(
        readonly move: EndpointMove,
        private readonly members: readonly Member[],
        private readonly context: Context,
    ) {}

    member(name: string): Member {
        return this.members.find(each => each.name === name)!;
    }

    async act(name: string, act: Act): Promise<void> {
        const { connection, address, isMaster } = this.member(name);
        const { clusterId, endpoint } = this.move;
        const label = `${act.title} (${name}${this.done > 0 ? `, ${this.done} nodes have moved` : ""})`;
        const values = {
            NAME: name,
            ADDRESS: address,
            HOST: endpoint.host,
            PORT: String(endpoint.port),
            URL: urlOf(endpoint),
            VIP: endpoint.vip === undefined ? "" : "yes",
            LOAD_BALANCER: isMaster ? "yes" : "",
        };
        const { signal, report } = this.context;
        await runAct({ ...act, env: values }, { node: name, clusterId, connection, report, signal, label });
    }

    hasMoved(): void {
        this.done++;
    }
}

/** One after another. Returns the nodes that can no longer be reached. */
async function moveAll({ move }: MovePlan, run: Run): Promise<MovePlan["missing"]> {
    const missing: MovePlan["missing"] = [];
    for (const name of move) {
        try {
            await run.act(name, moveNode);
            run.hasMoved();
        } catch (error) {
            if (!isUnreachable(error)) throw error;
            missing.push({ name, reason: error.reason });
        }
    }
    return missing;
}

/** Forgets the load balancer's steps first: if the run is killed after the removal, they must not count as done. */
async function takeAway(name: string, run: Run): Promise<void> {
    const { connection, isMaster } = run.member(name);
    if (run.move.endpoint.vip === undefined) {
        for (const step of loadBalancerSteps) await named(name, () => forgetStep(connection, step));
    }
    await run.act(name, takeFormerAway);
    if (isMaster) await run.act(name, prove);
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

function lookAtAll({ controlPlane, workers }: EndpointMove, context: InSession): Promise<Member[]> {
    return Promise.all([
        ...controlPlane.map(peer => look(context, peer, true, peer.address ?? peer.connection.host)),
        ...workers.map(peer => look(context, peer, false, "")),
    ]);
}

async function look(
    context: InSession,
    { name, connection: target }: Peer,
    isMaster: boolean,
    address: string,
): Promise<Member> {
    const connection = connectTo(context, target);
    const member = {
        name,
        connection,
        isMaster,
        address,
        ...(isMaster && { ownServer: urlOf({ host: address, port: 6443 }) }),
    };
    try {
        const call = { script: lookScript, argv: endpointArgv, timeoutSeconds: lookSeconds };
        return { ...member, seen: parseLook(await query(connection, { ...call, step: "look at the endpoint" })) };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return { ...member, reason: error.reason };
    }
}

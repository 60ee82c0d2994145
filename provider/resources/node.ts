import { NfvError } from "../errors";
import { leaveCluster } from "../kubeadm/leave";
import { decideMembership, type Mode } from "../kubeadm/membership";
import { nodeSteps } from "../kubeadm/node-steps";
import type { NodeSpec } from "../model";
import type { Connection, SshTarget } from "../ssh";
import { plan, type Step, stale } from "../steps";
import { encodeCall } from "../steps/protocol";
import { factsOf, factsOfPeers, livingMaster, mastersToLeaveBy } from "./facts";
import { journalToUndo, observeMachine } from "./journal";
import {
    connectTo,
    isUnreachable,
    type MachineState,
    machineRules,
    named,
    operate,
    type Peer,
    type ServerInputs,
    type StepInputs,
    withoutHostKey,
} from "./machine";
import { whileMastersGetReady } from "./patience";
import { isGone } from "./server";
import type { Context, ResourceType } from "./types";
import { refuseUpgrade } from "./upgrade";
import { changed, failuresOf, hasUnknown, same, topLevel } from "./values";

export interface NodeInputs extends StepInputs, ServerInputs {
    spec: NodeSpec;
    connection: SshTarget;
    /** All masters that shall exist, this one too if it is one. */
    controlPlane: Peer[];
    /** Id of the machine's Host: who prepares the machine anew must take the node out before. */
    hostId?: string;
}

export interface NodeState extends NodeInputs, MachineState {}

/** A machine with another of these is another node. */
const identity = ["spec.clusterId", "spec.name", "spec.role", "spec.address"];

/** Membership of one machine in a cluster: init or join, version, labels and taints, leaving. */
export const node: ResourceType<NodeInputs, NodeState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, {
            ...machineRules,
            controlPlane: value => (Array.isArray(value) && value.length > 0 ? undefined : "must name the masters"),
        }),
    }),
    diff: (_id, olds, news) => {
        refuseUpgrade(olds, news);
        const replaces = [...changed(olds, news, identity), ...(hostChanged(olds, news) ? ["hostId"] : [])];
        const update =
            !upToDate(olds, news) ||
            // no step of it: what leaves is asked of the state
            !same(olds.spec.drain, news.spec.drain) ||
            !same(withoutHostKey(olds.connection), withoutHostKey(news.connection)) ||
            !same(places(olds.controlPlane), places(news.controlPlane));
        return { changes: replaces.length > 0 || update, replaces: topLevel(replaces), deleteBeforeReplace: true };
    },
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}`;
        return { id, outs: await bring(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await bring(id, news, olds, context) }),
    read: async (id, state, context) => {
        const ids = planOf(state, "join").map(step => step.id);
        const observed = await observeMachine<NodeInputs, NodeState>(id, state, context, ids);
        return observed.id !== undefined && (await isForgotten(state, context)) ? {} : observed;
    },
    delete: leave,
};

/** A Host that is to be replaced has no id until then. */
function hostChanged(olds: NodeState, news: NodeInputs): boolean {
    return olds.hostId !== undefined && news.hostId !== undefined && olds.hostId !== news.hostId;
}

/** Masters by name and host: whose credentials changed is the same master. */
function places(peers: Peer[] | string) {
    return Array.isArray(peers) ? peers.map(({ name, connection }) => ({ name, host: connection.host })) : peers;
}

/** The fingerprints of the steps are the same for init and join. */
function planOf(inputs: NodeInputs, mode: Mode): Step[] {
    return plan(nodeSteps(mode), inputs.spec, inputs.fingerprintKey);
}

function upToDate(olds: NodeState, news: NodeInputs): boolean {
    if (!same(olds.steps, news.steps)) return false;
    return hasUnknown([news.spec, news.fingerprintKey]) || stale(planOf(news, "join"), olds.done).length === 0;
}

async function bring(id: string, inputs: NodeInputs, olds: NodeState | undefined, context: Context) {
    const { spec, controlPlane } = inputs;
    const { clusterId, name } = spec;
    const moved = olds !== undefined && olds.connection.host !== inputs.connection.host;
    const connection = connectTo(inputs.connection, moved ? undefined : olds?.hostKey);
    const reached = await operate({
        id,
        node: name,
        clusterId,
        steps: planOf(inputs, await whileMastersGetReady(context, () => decide(inputs, connection, context))),
        connection,
        controlPlane: async () =>
            (await whileMastersGetReady(context, () => livingMaster(clusterId, controlPlane, "any"))).connection,
        // The machine's own journal knows best: what is remembered here may be of a machine that was rebuilt.
        done: {},
        inputs,
        exists: olds !== undefined,
        context,
    });
    return { ...inputs, ...reached };
}

/** The machine and all other masters are asked at once; a member's masters do not matter, so a dead one costs no time. */
async function decide({ spec, controlPlane }: NodeInputs, connection: Connection, context: Context): Promise<Mode> {
    const { clusterId, name, role, address } = spec;
    context.report("look at the machine and the masters");
    const others = factsOfPeers(controlPlane.filter(peer => peer.name !== name));
    const self = await named(name, () => factsOf(connection, address));
    const peers = self.memberOf === clusterId ? [] : await others;
    return decideMembership({ clusterId, name, role, self, peers });
}

const whetherKnown =
    'nfv_node=$(kubectl --kubeconfig /etc/kubernetes/admin.conf --request-timeout=10s get node "$1" --ignore-not-found -o name) && echo "answer:$nfv_node"';

/** Whether the cluster answers and does not know this node. */
async function isForgotten({ spec, controlPlane }: NodeState, context: Context): Promise<boolean> {
    try {
        const { connection } = await livingMaster(spec.clusterId, controlPlane, "any");
        const { stdout } = await connection.exec(["sh", "-c", whetherKnown, "pulumi-nfv-known", spec.name]);
        return stdout.trim() === "answer:";
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${spec.name}: whether the cluster knows this node was not found out: ${error.reason}`);
        return false;
    }
}

/** Leaves through a living master; where machine or cluster are gone, what is left to do is done. */
async function leave(_id: string, state: NodeState, context: Context): Promise<void> {
    const { spec } = state;
    const { clusterId, name } = spec;
    const own = connectTo(state.connection, state.hostKey);
    const [machine, master] = await Promise.all([
        ownMachine(state, own, context),
        whileMastersGetReady(context, () =>
            masterToLeaveBy(
                state,
                state.controlPlane.filter(peer => peer.name !== name),
            ),
        ),
    ]);
    if (master === undefined) {
        context.warn(`${name}: no other master of ${clusterId} lives: the machine is reset, nobody is told`);
    }
    const { report, signal } = context;
    await leaveCluster({ spec, node: machine, controlPlane: master, report, signal });
    if (machine === undefined) return;
    try {
        for (const { id } of planOf(state, "join")) {
            await machine.exec(encodeCall({ verb: "forget", id }));
        }
    } catch (error) {
        if (!isUnreachable(error)) throw error;
    }
}

/** Undefined: there is nothing to undo on it, or no machine any more. */
async function ownMachine(state: NodeState, own: Connection, context: Context): Promise<Connection | undefined> {
    if (await isGone(state)) return undefined;
    return (await journalToUndo(own, state.spec.clusterId, state.spec.name, context)) === "ours" ? own : undefined;
}

/** Undefined: the cluster is gone. @throws NO_CONTROL_PLANE where it is there but cannot be told */
async function masterToLeaveBy({ spec }: NodeState, others: readonly Peer[]): Promise<Connection | undefined> {
    const { living, silent } = await mastersToLeaveBy(spec.clusterId, others);
    if (living === undefined && silent.length > 0) {
        throw new NfvError({
            code: "NO_CONTROL_PLANE",
            node: spec.name,
            step: "leave",
            cause: `the API servers of ${silent.map(({ name }) => name).join(", ")} are not ready`,
        });
    }
    return living?.connection;
}

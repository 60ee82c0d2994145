import { randomBytes } from "node:crypto";
import { NfvError } from "../errors";
import { bringBack } from "../kubeadm/bring-back";
import { leaveCluster } from "../kubeadm/leave";
import type { MachineStatus } from "../kubeadm/machine-status";
import { decideMembership, hasLostItsNotes, type Mode, mayBeLastMember } from "../kubeadm/membership";
import { cordonedAnnotation } from "../kubeadm/set-labels";
import { nodeStepIds, nodeSteps } from "../lifecycle/node-steps";
import type { NodeSpec } from "../model";
import { stateFolder } from "../shell/folders";
import type { Connection } from "../ssh";
import { forgetStep, type NodeConnection, plan, type Step } from "../steps";
import { atMost } from "./at-most";
import { retryUntilControlPlaneReady } from "./control-plane-ready";
import { giveUpVariable, isGivenUp, notDrainedNotGivenUp } from "./give-up";
import { observeMachine } from "./journal";
import {
    away,
    awayOrReplaced,
    connectTo,
    givesOtherHostKey,
    hurried,
    isUnreachable,
    type MachineState,
    machineRules,
    named,
    operate,
    type Peer,
} from "./machine";
import type { MachineInputs } from "./machine-inputs";
import {
    isReadyMember,
    machineStatusOf,
    machineStatusOrNone,
    mastersToLeaveBy,
    readyControlPlaneNode,
    statusOfPeers,
    whatTheySaid,
} from "./machine-statuses";
import { isTakenBack, mayHaveMoved } from "./membership";
import { noteLeft, programMasters } from "./program-masters";
import { refuseAfterRefusal } from "./refusals";
import { inTurn } from "./rolling";
import { isGone } from "./server";
import { areDone, loginOf } from "./stored-machine";
import type { Context, ResourceType } from "./types";
import { bearIfGivenUp, machineToUndo } from "./undo";
import { refuseUpgrade } from "./upgrade";
import { changed, failuresOf, same, topLevel } from "./values";

export interface NodeInputs extends MachineInputs {
    spec: NodeSpec;
    /** All wanted control-plane nodes, including this one if it is one. */
    controlPlane: Peer[];
    /** Id of the machine's Host. Before the machine is prepared again, its node must leave the cluster. */
    hostId?: string;
}

/** What is stored of a Node: all that its deletion, a refresh and the next diff need. */
export interface NodeState extends Omit<NodeInputs, "spec" | "steps" | "fingerprintKey" | "pool">, MachineState {
    spec: KeptSpec;
    /** See loginOf. */
    login?: string;
}

type KeptSpec = Pick<NodeSpec, "clusterId" | "name" | "role" | "address" | "kubernetesVersion" | "drain"> & {
    identity: { caCertHash: string };
};

function keep(inputs: NodeInputs): Omit<NodeState, "done"> {
    const { spec, steps: _, fingerprintKey: __, pool: ___, ...others } = inputs;
    const { clusterId, name, role, address, kubernetesVersion, drain, identity } = spec;
    const { caCertHash } = identity;
    const kept = { clusterId, name, role, address, kubernetesVersion, drain, identity: { caCertHash } };
    return { ...others, login: loginOf(inputs), spec: kept };
}

/** If one of these changes, it is another node. */
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
            !areDone(news.steps, olds.done) ||
            isTakenBack(olds, news) ||
            mayHaveMoved(olds, news) ||
            // not part of a step: the deletion reads it from the state
            !same(olds.spec.drain, news.spec.drain) ||
            givesOtherHostKey(olds, news) ||
            loginOf(olds) !== loginOf(news) ||
            !same(places(olds.controlPlane), places(news.controlPlane));
        return { changes: replaces.length > 0 || update, replaces: topLevel(replaces), deleteBeforeReplace: true };
    },
    create: async (inputs, context) => {
        // A new id for each creation, so that OperationEnd notices that a node was replaced.
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}/${randomBytes(4).toString("hex")}`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    read: async (id, state, context) => {
        const isOurs = (step: string) => nodeStepIds(state.spec.role).includes(step);
        const observed = await observeMachine<NodeInputs, NodeState>(id, state, context, isOurs);
        const { props } = observed;
        const known = props && (await askCluster(state, context));
        if (!known?.forgotten && !known?.cordoned) return observed;
        const lost = known.forgotten ? ofMembership : new Set(["node.labels"]);
        const done = Object.fromEntries(Object.entries(props!.done).filter(([step]) => !lost.has(step)));
        const todo = known.forgotten
            ? "bring the node back: its cluster does not know it"
            : "uncordon the node: a deletion that was stopped had cordoned it";
        return { ...observed, props: { ...props!, done, pending: [todo] } };
    },
    delete: async (_id, state, context) => {
        const { clusterId, name, role } = state.spec;
        refuseAfterRefusal(context, name);
        if (role !== "controlPlane") return leave(state, context);
        // The engine deletes replaced nodes in parallel, but each must see etcd without the one before.
        return atMost(1, context, `masters of ${clusterId}`, () => leave(state, context), {
            waiting: () => context.report(`${name} waits until another master has left`),
            signal: context.signal,
        });
    },
};

/** Undefined at preview while the Host will be replaced. */
function hostChanged(olds: NodeState, news: NodeInputs): boolean {
    return olds.hostId !== undefined && news.hostId !== undefined && olds.hostId !== news.hostId;
}

/** Control-plane nodes by name and host: other credentials do not make it another node. */
function places(peers: Peer[] | string) {
    return Array.isArray(peers) ? peers.map(({ name, connection }) => ({ name, host: connection.host })) : peers;
}

/** The fingerprints of the steps are the same for init and join. */
function planOf(inputs: NodeInputs, mode: Mode): Step[] {
    return plan(nodeSteps(mode), inputs.spec, inputs.fingerprintKey);
}

async function reconcile(id: string, inputs: NodeInputs, olds: NodeState | undefined, context: Context) {
    const { spec, controlPlane } = inputs;
    const { clusterId, name } = spec;
    const moved = olds !== undefined && olds.connection.host !== inputs.connection.host;
    const keys = moved ? { jumpHostKeys: olds.jumpHostKeys } : olds;
    const connection = connectTo(context, inputs.connection, keys, inputs);
    const { self, mode } = await retryUntilControlPlaneReady(context, () => decide(inputs, connection, context));
    const takenBack = olds !== undefined && isTakenBack(olds, inputs);
    const doubtful = self.memberOf === clusterId && (takenBack || olds?.done["cluster.join"] === undefined);
    const known = doubtful ? await askCluster(inputs, context) : undefined;
    if (known?.forgotten) {
        const { report, signal } = context;
        const { master } = known;
        const onlyMaster = controlPlane.every(peer => peer.name === name);
        const how = await named(name, () => bringBack({ spec, node: connection, master, onlyMaster, report, signal }));
        // A machine that was reset joins again. One that was only registered has a new node object.
        const undone = how === "reset" ? planOf(inputs, mode).map(step => step.id) : [...ofMembership];
        for (const step of undone) await named(name, () => forgetStep(connection, step));
    }
    // An interrupted deletion may have cordoned the node; the labels step uncordons it.
    if (olds !== undefined && (takenBack || olds.done["node.labels"] === undefined)) {
        await forgetLabels(connection, self, spec);
    }
    const steps = planOf(inputs, mode);
    const kept = keep(inputs);
    const leaves = mode === "join" && hasLostItsNotes(self);
    const go = async () => {
        if (leaves) await leaveToJoinAgain(inputs, connection, context);
        return operate({
            id,
            node: name,
            clusterId,
            steps,
            connection,
            controlPlane: () =>
                retryUntilControlPlaneReady(context, () =>
                    readyControlPlaneNode(context, clusterId, controlPlane, "any"),
                ),
            // The machine's journal decides: the recorded state may be from before a rebuild.
            done: {},
            kept,
            exists: olds !== undefined,
            context,
        });
    };
    const rolling = {
        clusterId,
        node: name,
        role: spec.role,
        pool: inputs.pool,
        before: self,
        leaves,
        look: () => machineStatusOf(connection, spec.address),
    };
    const reached = await inTurn(rolling, steps, olds?.done ?? {}, context, go);
    return { ...kept, ...reached };
}

/**
 * Asks the machine and all other control-plane nodes in parallel. If the machine is a member, the others do not matter,
 * so a dead one costs no time.
 */
async function decide({ spec, controlPlane }: NodeInputs, connection: Connection, context: Context) {
    const { clusterId, name, role, address } = spec;
    context.report("look at the machine and the masters");
    const others = statusOfPeers(
        context,
        controlPlane.filter(peer => peer.name !== name),
    );
    const self = await named(name, () => machineStatusOrNone(name, connection, address, context));
    const isMember = self.memberOf === clusterId;
    const peers = isMember ? [] : await others;
    const joins = isMember || peers.some(peer => isReadyMember(peer, clusterId));
    const { former = [] } = programMasters(context, clusterId) ?? {};
    const formers = joins || role !== "controlPlane" ? [] : await statusOfPeers(context, former);
    const { caCertHash } = spec.identity;
    return { self, mode: decideMembership({ clusterId, name, role, caCertHash, self, peers, formers }) };
}

/**
 * Prints "answer:node/NAME NOTE", where NOTE shows that our drain cordoned it; "answer:" if the cluster does not have
 * the node. NAME
 */
const whetherKnown =
    'nfv_node=$(kubectl --kubeconfig /etc/kubernetes/admin.conf --request-timeout=10s get node "$1" --ignore-not-found ' +
    `-o 'jsonpath=node/{.metadata.name} {.metadata.annotations.${cordonedAnnotation.replace(".", "\\.")}}') && echo "answer:$nfv_node"`;

/**
 * Its join begins with a reset. So pods and the etcd member are removed first, as for a final leave. @throws
 * DRAIN_FAILED, QUORUM_AT_RISK
 */
async function leaveToJoinAgain(inputs: NodeInputs, machine: Connection, context: Context): Promise<void> {
    const { spec, controlPlane } = inputs;
    const { clusterId, name, identity } = spec;
    const { report, signal } = context;
    context.warn(`${name}: our notes on it (${stateFolder}) are gone: it leaves the cluster in order and joins again`);
    const others = controlPlane.filter(peer => peer.name !== name);
    const master = await retryUntilControlPlaneReady(context, () =>
        readyControlPlaneNode(context, clusterId, others, "any"),
    );
    await leaveCluster({
        spec,
        caCertHash: identity.caCertHash,
        node: machine,
        controlPlane: master,
        report,
        signal,
    });
    for (const { id } of planOf(inputs, "join")) await named(name, () => forgetStep(machine, id));
}

/** Steps whose result is in the cluster's node object, and lost with it. */
const ofMembership = new Set(["cluster.join", "node.labels"]);

interface KnownNode {
    /** The cluster answered that it does not have this node. */
    forgotten: boolean;
    /** Our drain has cordoned it. */
    cordoned: boolean;
    /** The control-plane node that answered. */
    master: Connection;
}

/** The cluster's answer about this node; undefined if it could not be asked. */
async function askCluster(
    { spec, controlPlane }: Pick<NodeState, "spec" | "controlPlane">,
    context: Context,
): Promise<KnownNode | undefined> {
    try {
        const { connection: master } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
        const { stdout } = await master.exec(["sh", "-c", whetherKnown, "pulumi-nfv-known", spec.name], {
            timeoutSeconds: 30,
        });
        const said = stdout.trim();
        return { forgotten: said === "answer:", cordoned: /^answer:\S+ \S/.test(said), master };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${spec.name}: whether the cluster knows this node was not found out: ${error.reason}`);
        return undefined;
    }
}

/** Leaves through a ready control-plane node. If the machine or the cluster is gone, does only what remains. */
async function leave(state: NodeState, context: Context): Promise<void> {
    const { spec } = state;
    const { clusterId, name } = spec;
    const own = connectTo(context, state.connection, state, state);
    const [found, master] = await Promise.all([
        ownMachine(state, own, context),
        retryUntilControlPlaneReady(context, () =>
            masterToLeaveBy(
                state,
                state.controlPlane.filter(peer => peer.name !== name),
                context,
            ),
        ),
    ]);
    const machine = found === "ours" ? own : undefined;
    if (master === undefined) {
        await refuseLastMaster(state, found, own);
        context.warn(`${name}: no other master of ${clusterId} lives: the machine is reset, nobody is told`);
    }
    const onMachineError = bearIfGivenUp({ clusterId, name, connection: own }, context);
    const { report, signal } = context;
    const givenUp = isGivenUp(clusterId, name);
    // A cloud server that does not answer is deleted right after this. Any other machine that does not answer may be
    // alive, with its pods.
    const gone = givenUp || found === "nothing" || (found === "unasked" && state.server !== undefined);
    const mayLive = found === "unasked" && !givenUp;
    try {
        await leaveCluster({
            spec,
            caCertHash: spec.identity.caCertHash,
            node: machine,
            controlPlane: master,
            forgetJoin: machine && (() => forgetMembership(machine)),
            onMachineError,
            givenUp,
            gone,
            mayLive,
            report,
            signal,
        });
    } catch (error) {
        throw found === "unasked" && !gone ? notDrainedNotGivenUp(error, clusterId, name) : error;
    }
    noteLeft(context, clusterId, name);
    if (machine === undefined) return;
    try {
        for (const step of nodeStepIds(spec.role)) await forgetStep(machine, step);
    } catch (error) {
        if (!isUnreachable(error)) onMachineError(error);
    }
}

/** Only a member has a journal with this step. */
async function forgetLabels(machine: Connection, self: MachineStatus, { clusterId, name }: NodeSpec): Promise<void> {
    if (self.memberOf === clusterId) await named(name, () => forgetStep(machine, "node.labels"));
}

async function forgetMembership(machine: Connection): Promise<void> {
    for (const step of ofMembership) await forgetStep(machine, step);
}

type FoundMachine = "ours" | "nothing" | "unasked";

/** "nothing": the machine has nothing to undo, or no longer exists. */
async function ownMachine(state: NodeState, own: Connection, context: Context): Promise<FoundMachine> {
    const gone = await isGone(context, state);
    const { clusterId, name, address, identity } = state.spec;
    const connection = gone ? connectTo(context, hurried(state.connection), state, state) : own;
    // A machine that does not answer is tolerated here: the deletion of its Host, which follows, refuses it, unless it is
    // a cloud server.
    const bears = gone ? awayOrReplaced : away;
    const machine = { clusterId, name, address, caCertHash: identity.caCertHash, connection, bears, gone };
    const found = await machineToUndo(machine, context);
    return gone && found === "unasked" ? "nothing" : found;
}

/**
 * On `destroy` no Node is deleted. So deleting the last member is a mistake: the program replaces all control-plane
 * nodes at once, or the only one. A machine that does not answer may still be that member: its cloud has its server and
 * disk.
 * @throws QUORUM_AT_RISK unless the user gives the machine up by name
 */
async function refuseLastMaster({ spec, server }: NodeState, found: FoundMachine, machine: Connection): Promise<void> {
    const { clusterId, name, address, role, identity } = spec;
    if (role !== "controlPlane" || found === "nothing" || isGivenUp(clusterId, name)) return;
    if (found === "ours") {
        const facts = await named(name, () => machineStatusOf(machine, address));
        if (!mayBeLastMember({ clusterId, caCertHash: identity.caCertHash, name, facts })) return;
    }
    const silent = server === undefined ? "it does not answer" : "it does not answer, but its cloud has its server";
    throw new NfvError({
        code: "QUORUM_AT_RISK",
        node: name,
        step: "leave",
        cause:
            found === "ours"
                ? `${name} is the last master of ${clusterId}: etcd with all data of the cluster is on it, or may be; nothing on it was changed`
                : `${name} may be the last master of ${clusterId}: ${silent}, so etcd with all data of the cluster may be on it; nothing was changed`,
        hint:
            (found === "ours" ? "" : `Start ${name}, or wait until it answers, then run pulumi up again. `) +
            `Keep ${name} as it is in the program, at its address, until another master has joined; then take it out. To end the whole cluster: ` +
            `pulumi destroy. To lose its data on purpose, give it up by name: ${giveUpVariable}=${clusterId}/${name} pulumi up`,
    });
}

/**
 * Undefined if every other control-plane node says that it is not a member, so the cluster is gone. @throws
 * NO_CONTROL_PLANE if one may be alive
 */
async function masterToLeaveBy(
    { spec }: NodeState,
    others: readonly Peer[],
    context: Context,
): Promise<NodeConnection | undefined> {
    const { clusterId, name } = spec;
    const { living, silent, unreachable } = await mastersToLeaveBy(context, clusterId, others);
    const lost = unreachable.filter(peer => !isGivenUp(clusterId, peer.name));
    const said = whatTheySaid({ silent, unreachable: lost });
    if (living === undefined && said.length > 0) {
        // A node that answers is a member: it must become ready, and cannot be given up. The hint names all that do not
        // answer, also those given up already.
        const given = unreachable.map(peer => `${clusterId}/${peer.name}`).join(",");
        const hint =
            "Start one of these masters, then run pulumi up again." +
            (silent.length > 0
                ? ` Of ${silent.map(peer => peer.name).join(", ")} see journalctl -u kubelet: the API server must be ready there.`
                : ` Those that are lost for ever are given up by name: ${giveUpVariable}=${given} pulumi up`);
        throw new NfvError({ code: "NO_CONTROL_PLANE", node: name, step: "leave", cause: said.join("\n"), hint });
    }
    return living;
}

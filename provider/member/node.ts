import { randomBytes } from "node:crypto";
import type { NodeSpec } from "../common/model";
import { atMost } from "../contract/at-most";
import { isGivenUp } from "../contract/give-up";
import { refuseUnplanned } from "../contract/steps-of-plan";
import type { Context, ResourceType } from "../contract/types";
import { changed, failuresOf, same } from "../contract/values";
import { findings } from "../health/findings";
import type { MachineLook } from "../health/look";
import type { MachineStatus } from "../kubeadm/machine-status";
import { decideMembership, hasLostItsNotes, type Mode } from "../kubeadm/membership";
import { refuseAnotherMachine } from "../machine/another-machine";
import { retryUntilControlPlaneReady, untilControlPlaneReady } from "../machine/control-plane-ready";
import { cureWords } from "../machine/cure-words";
import { acceptedDrift, butSteps, driftChanges, driftNote, repeated, withNote } from "../machine/drift";
import { type Cures, healthOf, kubeletStep, tell, withCures } from "../machine/health";
import { observeMachine, readJournal } from "../machine/journal";
import {
    connectTo,
    givesOtherHostKey,
    isLeftUndone,
    isUnreachable,
    machineRules,
    named,
    operate,
    type Peer,
    recordHostKey,
} from "../machine/machine";
import { forgetDrifted, foundDrift, noteSteps } from "../machine/machine-drift";
import {
    isReadyMember,
    machineStatusOf,
    machineStatusOrNone,
    type PeerStatus,
    statusOfPeers,
} from "../machine/machine-statuses";
import { programMasters } from "../machine/program-masters";
import { areDone, loginOf } from "../machine/stored-machine";
import { bearIfGivenUp } from "../machine/undo";
import { isHealed, isHealWithdrawn } from "../operation/heals";
import { machineDiff, mayDiffer, mayHaveGoneBack } from "../operation/wishes";
import { stateFolder } from "../shell/folders";
import type { Connection } from "../ssh";
import { type Fingerprints, forgetStep, plan, runAct, type Step } from "../steps";
import { isStale } from "../steps/plan";
import { forgetIfReset, forgetNodeSteps, forgetOfMember, forgetRotatedKeys } from "./forget-node-steps";
import { isHeldElsewhere } from "./held-elsewhere";
import type { Membership } from "./join/api-server-files";
import { bringBack } from "./join/bring-back";
import { whyNotByThisState } from "./join/first-keys";
import { freeEtcdSpace } from "./join/free-etcd-space";
import { joinStep } from "./join/join-cluster";
import { noteLeft } from "./join/left-files";
import { refuseIfEndpointLives } from "./join/living-endpoint";
import { noteThatWaits, trustDifferentOnes } from "./joins-later";
import { askCluster, askClusterTogether } from "./known-node";
import { leaveCluster } from "./leave/leave";
import { leaveBy, machineOf, masterToLeaveBy, ofMembership } from "./leave/leave-node";
import { beginLeave } from "./left-out-node";
import {
    type CertificatesState,
    certificatesIn,
    certificatesSeen,
    isRenewalAsked,
    renewalDue,
} from "./node-certificates";
import { keep, type NodeInputs, type NodeState } from "./node-state";
import { labelsStep, nodeStepIds, nodeSteps, versionStep } from "./node-steps";
import { certificatesStep } from "./renew-certificates";
import { afterAnotherLeaves, inTurn } from "./rolling";
import { noteSoak } from "./upgrade/acts";
import { moveInPlace, versionOf } from "./upgrade/node-upgrade";
import { needsLookAtServer, sayReplacement } from "./upgrade/server-replacement";
import { refuseUpgrade } from "./upgrade/upgrade";
import {
    heldNotes,
    lookBeforeUpgrade,
    needsLookBeforeUpgrade,
    releasedNote,
    upgradeNotes,
} from "./upgrade/upgrade-preview";
import { asHeld, asHeldOnMachine, isHeld, soak, soaks, soaksWhenReplaced } from "./upgrade/upgrade-turn";

/** By cure: the steps that `up` does again. */
const curesOfNode: Cures = {
    "restart kubelet": { steps: new Set([kubeletStep]), todo: cureWords.kubelet.todo },
    uncordon: { steps: new Set([labelsStep]), todo: cureWords.uncordon.todo },
    "renew the certificate": { steps: new Set([certificatesStep]), todo: cureWords.certificate.todo },
    "free etcd's space": { steps: new Set(), todo: cureWords.etcdSpace.todo },
    "join again": { steps: ofMembership, todo: cureWords.membership.todo },
};

/** If one of these changes, it is another node. */
const identity = ["spec.clusterId", "spec.name", "spec.role", "spec.address"];

/** Membership of one machine in a cluster: init or join, version, labels and taints, leaving. */
export const node: ResourceType<NodeInputs, NodeState> = {
    check: (olds, news) => ({
        inputs: news,
        failures: failuresOf(news, {
            ...machineRules,
            controlPlane: value => (Array.isArray(value) && value.length > 0 ? undefined : "must name the masters"),
        }),
        notes: news.upgradeTurn?.holds ? [] : upgradeNotes(olds, news),
    }),
    needsCheckInCloud: (olds, news) => needsLookBeforeUpgrade(olds, news) || needsLookAtServer(news),
    checkInCloud: async (olds, news, context) => {
        if (needsLookAtServer(news)) await sayReplacement(news, context);
        return { failures: needsLookBeforeUpgrade(olds, news) ? await lookBeforeUpgrade(olds, news, context) : [] };
    },
    diff: (_id, olds, wanted) => {
        refuseUpgrade(olds, wanted);
        const news = asHeld(olds, wanted);
        const replaces = [
            ...changed(olds, news, identity),
            ...(hostChanged(olds, news) ? ["hostId"] : []),
            ...(isHealed(olds, news) ? ["heal"] : []),
        ];
        const due = renewalDue(olds, news.spec);
        const update =
            due !== undefined ||
            !areDone(news.steps, olds.done) ||
            isLeftUndone(olds) ||
            isHealWithdrawn(olds, news) ||
            // not part of a step: the deletion reads it from the state
            !same(olds.spec.drain, news.spec.drain) ||
            givesOtherHostKey(olds, news) ||
            loginOf(olds) !== loginOf(news) ||
            !same(places(olds.controlPlane), places(news.controlPlane)) ||
            driftChanges(olds, news);
        const { name } = news.spec;
        const waits = isHeld(olds, wanted);
        const diff = withNote(machineDiff(olds, news, { replaces, update, waits }), driftNote(name, olds, news));
        const renews = due !== undefined && replaces.length === 0;
        const ofVersion = waits ? heldNotes(olds, wanted) : releasedNote(olds, news);
        const notes = [...ofVersion, ...(renews ? [`${name}: renew certificates: ${due}`] : [])];
        return withNote(diff, notes.length > 0 ? notes.join("; ") : undefined);
    },
    create: async (inputs, context) => {
        // A new id for each creation, so that OperationEnd notices that a node was replaced.
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}/${randomBytes(4).toString("hex")}`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    read: async (id, state, context) => {
        const isOurs = (step: string) => nodeStepIds(state.spec.role).includes(step);
        let look: MachineLook | undefined;
        let seen: CertificatesState = {};
        const observed = await observeMachine<NodeInputs, NodeState>(id, state, context, isOurs, shown => {
            const { name } = state.spec;
            look = healthOf(name, shown, context);
            seen = certificatesIn(name, shown.certificates, state, context);
        });
        const { props } = observed;
        if (props === undefined) return observed;
        const node = await askClusterTogether(state, context);
        const joined = props.done[joinStep.id] !== undefined;
        const found = findings({ name: state.spec.name, joined, machine: look?.facts, node });
        tell(state.spec.name, found, context);
        const drifted = foundDrift({ ...props, ...seen }, look, found, curesOfNode, context);
        return { ...observed, props: withCures(drifted, found, curesOfNode) };
    },
    delete: async (_id, state, context) => {
        const { clusterId, name, role } = state.spec;
        if (isHeldElsewhere("Node", state, context)) return;
        beginLeave(state.spec, context);
        if (role !== "controlPlane") return leave(state, context);
        // The engine deletes replaced nodes in parallel, but each must see etcd without the one before.
        return atMost(1, context, `masters of ${clusterId}`, () => leave(state, context), {
            waiting: () => context.report(`${name} waits until another master has left`),
            afterFailure: afterAnotherLeaves(name),
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
function planOf(inputs: NodeInputs, membership: Membership, proven = false): Step[] {
    const how = { proven, ...(inputs.ontoNew !== undefined && { seed: inputs.ontoNew }) };
    return plan(nodeSteps(membership, how), inputs.spec, inputs.fingerprintKey);
}

async function reconcile(id: string, wanted: NodeInputs, olds: NodeState | undefined, context: Context) {
    const moved = olds !== undefined && olds.connection.host !== wanted.connection.host;
    const keys = moved ? { jumpHostKeys: olds.jumpHostKeys } : olds;
    const connection = connectTo(context, wanted.connection, keys, wanted);
    const inputs = await asHeldOnMachine(olds, wanted, connection);
    const held = inputs !== wanted;
    const { spec, controlPlane } = inputs;
    const { clusterId, name } = spec;
    const { self, mode, peers } = await retryUntilControlPlaneReady(context, clusterId, () =>
        decide(inputs, connection, context),
    );
    const rotated = [self, ...peers.map(({ facts }) => facts)].flatMap(facts => facts?.rotated ?? []);
    const tooOld = whyNotByThisState({ ...spec, rotated });
    if (tooOld) throw tooOld;
    const kept = { ...keep(inputs, olds), ...(held && { held }) };
    const joins = mode === "join" && self.memberOf !== clusterId;
    if (joins && trustDifferentOnes(clusterId, peers)) {
        noteThatWaits(clusterId, name, context);
        const pending = planOf(inputs, mode).map(({ title }) => title);
        return { ...kept, ...recordHostKey(connection), done: {}, pending };
    }
    const asked = { spec, connection, controlPlane, joins };
    const isAnother = () => named(name, () => refuseAnotherMachine(asked, context));
    const proven = joins && (await isAnother()) === "proven";
    // Either may have left the node half out of the cluster.
    const takenBack = olds !== undefined && (mayHaveGoneBack(olds, inputs) || isHealWithdrawn(olds, inputs));
    const doubtful = self.memberOf === clusterId && (takenBack || olds?.done[joinStep.id] === undefined);
    const known = doubtful ? await askCluster(inputs, context) : undefined;
    if (known?.forgotten) {
        const { report, signal } = context;
        const { master } = known;
        const onlyMaster = controlPlane.every(peer => peer.name === name);
        const { memberSince } = self;
        const forgotten = { spec, node: connection, master, memberSince, onlyMaster, report, signal };
        const how = await named(name, () => bringBack(forgotten));
        // A machine that was reset joins again. One that was only registered has a new node object.
        const undone = how === "reset" ? planOf(inputs, mode).map(step => step.id) : [...ofMembership];
        for (const step of undone) await named(name, () => forgetStep(connection, step));
    }
    await forgetIfReset(spec, self, connection, context);
    if (joins) await forgetRotatedKeys(spec, connection, context);
    // An interrupted deletion may have cordoned the node; the labels step uncordons it.
    if (olds !== undefined && (takenBack || olds.done[labelsStep] === undefined)) {
        await forgetOfMember(labelsStep, connection, self, spec);
    }
    // A refresh found that kubelet does not run. If it runs by now, the step's probe says so.
    if (olds !== undefined && olds.done[kubeletStep] === undefined) {
        await forgetOfMember(kubeletStep, connection, self, spec);
    }
    const renews = olds !== undefined && isRenewalAsked(olds, spec);
    if (renews) await forgetOfMember(certificatesStep, connection, self, spec);
    const isMember = self.memberOf === clusterId && known?.forgotten !== true;
    const drifts = isMember ? olds : undefined;
    const again = await named(name, () => forgetDrifted("node", drifts, inputs, connection, context));
    const leaves = mode === "join" && hasLostItsNotes(self);
    const planned = planOf(inputs, isMember && !leaves ? "member" : mode, proven);
    if (leaves) refuseUnplanned(context, name, joinStep.title);
    const steps = repeated(planned, again);
    const recorded = await named(name, () => whatIsDone(inputs, olds, connection, context));
    const done = butSteps(recorded, [...again, ...(renews ? [certificatesStep] : [])]);
    const moving = { spec, controlPlane, machine: connection, context, soaks: soaks(inputs) };
    const asks = isMember && !leaves && asksForVersion(steps, done, olds, inputs);
    const { from, seen: ran } = asks ? await versionOf(moving) : {};
    const move = from === undefined ? undefined : { from, seen: ran! };
    const isWatched = !isMember && soaksWhenReplaced(inputs);
    // A run that was killed while it watched the node.
    const owes = move !== undefined || ran?.soaks === spec.kubernetesVersion || isWatched;
    const master = () => untilControlPlaneReady(context, clusterId, controlPlane, "any");
    const go = async () => {
        // A machine that is no member by now has no etcd of the cluster.
        if (olds?.pending?.includes(cureWords.etcdSpace.todo) && self.memberOf === clusterId)
            await freeSpace(spec, connection, context);
        if (leaves) await leaveToJoinAgain(inputs, connection, context);
        if (move !== undefined) await moveInPlace(moving, move);
        const { report, signal } = context;
        if (isWatched) await runAct(noteSoak(spec), { node: name, clusterId, connection, report, signal });
        return operate({
            id,
            node: name,
            clusterId,
            steps,
            connection,
            controlPlane: master,
            // A machine that says that it is a member, and lacks keys.
            ...(self.memberOf === clusterId && { beforeSecrets: isAnother }),
            // The machine's journal decides: the recorded state may be from before a rebuild.
            done: {},
            kept: { ...kept, ...(olds?.drift && { drift: olds.drift }) },
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
        leaves: leaves || move !== undefined,
        // Where the certificates of all had ended, the first ones alone are no majority.
        servesAtEnd: renews && controlPlane.at(-1)?.name === name,
        look: () => machineStatusOf(connection, spec.address),
    };
    const reached = await inTurn(rolling, steps, done, context, go);
    if (owes) await soak(inputs, connection, async () => (await master()).connection, context);
    await noteSteps(connection, "node", planned, context, noteLeft);
    const seen = await certificatesSeen(name, connection, olds, context);
    return { ...kept, ...reached, ...seen, ...acceptedDrift(olds ?? {}, inputs) };
}

/** One control-plane node after another, as their Nodes are updated. What was done is a remark of the run. */
async function freeSpace({ clusterId, name }: NodeSpec, connection: Connection, context: Context): Promise<void> {
    const { report, signal } = context;
    const said = await runAct(freeEtcdSpace, { node: name, clusterId, connection, report, signal });
    context.note(`${name}: ${said.trim().split("\n").at(-1)}`);
}

/** Its version may not be the wanted one: by its records, or because they may be from before a change that was taken back. */
function asksForVersion(steps: readonly Step[], done: Fingerprints, olds: NodeState | undefined, inputs: NodeInputs) {
    const isDone = steps.every(step => step.id !== versionStep || !isStale(step, done));
    return !isDone || (olds !== undefined && mayDiffer(olds, inputs));
}

/**
 * What decides whether the machine waits for its turn. The state of a run that was killed does not know which steps,
 * perhaps disruptive ones, are to be done again.
 */
async function whatIsDone(
    inputs: NodeInputs,
    olds: NodeState | undefined,
    connection: Connection,
    context: Context,
): Promise<Fingerprints> {
    if (olds === undefined || !mayDiffer(olds, inputs)) return olds?.done ?? {};
    const journal = await readJournal(context, connection, inputs.spec.clusterId, inputs.spec.name);
    return typeof journal === "object" ? { ...olds.done, ...journal.done } : olds.done;
}

/**
 * Asks the machine and all other control-plane nodes in parallel. If the machine is a member, the others do not matter,
 * so a dead one costs no time.
 */
async function decide(
    { spec, controlPlane }: NodeInputs,
    connection: Connection,
    context: Context,
): Promise<{ self: MachineStatus; mode: Mode; peers: PeerStatus[] }> {
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
    const program = programMasters(context, clusterId);
    const asked = joins || role !== "controlPlane" ? [] : await statusOfPeers(context, program?.former ?? []);
    // Who was given up may be silent. One that answers and lives counts.
    const formers = asked.filter(peer => peer.facts !== undefined || !isGivenUp(clusterId, peer.name));
    const { caCertHash } = spec.identity;
    const question = { clusterId, name, role, caCertHash, self, peers, formers, formersUnknown: program === undefined };
    const mode = decideMembership(question);
    // An init that was interrupted here answers at the endpoint itself.
    if (mode === "init" && self.initStarted !== clusterId) {
        await named(name, () => refuseIfEndpointLives(spec, connection));
    }
    return { self, mode, peers };
}

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
    const master = await untilControlPlaneReady(context, clusterId, others, "any");
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

/** Leaves through a ready control-plane node. If the machine or the cluster is gone, does only what remains. */
async function leave(state: NodeState, context: Context): Promise<void> {
    const { spec, controlPlane } = state;
    const { caCertHash } = spec.identity;
    // The state may have a former login of the masters: another login changes no worker's Node.
    const { wanted = [], former = [] } = programMasters(context, spec.clusterId) ?? {};
    const groups = [wanted, controlPlane, former];
    const own = connectTo(context, state.connection, state, state);
    const [found, master] = await Promise.all([
        machineOf({ ...state, caCertHash, own }, context),
        retryUntilControlPlaneReady(context, spec.clusterId, () => masterToLeaveBy(spec, groups, context)),
    ]);
    await leaveBy({ spec, caCertHash, server: state.server, found, own, master }, context);
    if (found !== "ours") return;
    try {
        await forgetNodeSteps(spec.role, own);
    } catch (error) {
        const { clusterId, name } = spec;
        if (!isUnreachable(error)) bearIfGivenUp({ clusterId, name, connection: own }, context)(error);
    }
}

import type { NodeSpec } from "../common/model";
import { refuseUnplanned } from "../contract/steps-of-plan";
import type { Context } from "../contract/types";
import { hasLostItsNotes } from "../kubeadm/membership";
import { refuseAnotherMachine } from "../machine/another-machine";
import { retryUntilControlPlaneReady, untilControlPlaneReady } from "../machine/control-plane-ready";
import { cureWords } from "../machine/cure-words";
import { acceptedDrift, butSteps, repeated } from "../machine/drift";
import { kubeletStep } from "../machine/health";
import { readJournal } from "../machine/journal";
import { connectTo, named, operate, recordHostKey } from "../machine/machine";
import { forgetDrifted, noteSteps } from "../machine/machine-drift";
import { machineStatusOf } from "../machine/machine-statuses";
import { isHealWithdrawn } from "../operation/heals";
import { mayDiffer, mayHaveGoneBack } from "../operation/wishes";
import type { Connection } from "../ssh";
import { type Fingerprints, forgetStep, runAct, type Step } from "../steps";
import { isStale } from "../steps/plan";
import { forgetIfReset, forgetOfMember, forgetRotatedKeys } from "./forget-node-steps";
import { bringBack } from "./join/bring-back";
import { whyNotByThisState } from "./join/first-keys";
import { freeEtcdSpace } from "./join/free-etcd-space";
import { joinStep } from "./join/join-cluster";
import { noteLeft } from "./join/left-files";
import { type Decided, whichMembership } from "./join/which-membership";
import { middleOf, noteThatWaits, trustDifferentOnes } from "./joins-later";
import { askCluster } from "./known-node";
import { leaveToJoinAgain } from "./leave/leave-by-node";
import { ofMembership } from "./leave/leave-node";
import { certificatesSeen, isRenewalAsked } from "./node-certificates";
import { keep, type NodeInputs, type NodeState } from "./node-state";
import { labelsStep, planOf, versionStep } from "./node-steps";
import { certificatesStep } from "./renew-certificates";
import { inTurn } from "./rolling";
import { noteSoak } from "./upgrade/acts";
import { isUnmoved, joinsBehindMove, whyMoveWaits } from "./upgrade/heal-first";
import { moveInPlace, versionOf } from "./upgrade/node-upgrade";
import { switchVersion } from "./upgrade/switch-version";
import { asHeldOnMachine, soak, soaks, soaksWhenReplaced } from "./upgrade/upgrade-turn";

/** A Node that is made or updated: what the program wants, what the last run stored, and what the machine says now. */
interface Visit {
    id: string;
    inputs: NodeInputs;
    olds: NodeState | undefined;
    connection: Connection;
    context: Context;
    decided: Decided;
    /** It is no member yet. */
    joins: boolean;
    /** The machine has proven that it is this node. */
    proven: boolean;
}

/** Brings a machine to what the program wants of its node: it joins, moves to another version, or is changed. */
export async function reconcile(id: string, wanted: NodeInputs, olds: NodeState | undefined, context: Context) {
    const moved = olds !== undefined && olds.connection.host !== wanted.connection.host;
    const keys = moved ? { jumpHostKeys: olds.jumpHostKeys } : olds;
    const connection = connectTo(context, wanted.connection, keys, wanted);
    const inputs = await asHeldOnMachine(olds, wanted, connection);
    const held = inputs !== wanted;
    const { spec } = inputs;
    const { clusterId, name } = spec;
    const decided = await retryUntilControlPlaneReady(context, clusterId, () =>
        whichMembership(inputs, connection, context),
    );
    const { self, mode, peers } = decided;
    const rotated = [self, ...peers.map(({ facts }) => facts)].flatMap(facts => facts?.rotated ?? []);
    const tooOld = whyNotByThisState({ ...spec, rotated });
    if (tooOld) throw tooOld;
    const kept = { ...keep(inputs, olds), ...(held && { held }) };
    const joins = mode === "join" && self.memberOf !== clusterId;
    const deferJoin = (middle: keyof typeof middleOf) => {
        noteThatWaits(clusterId, name, context, middleOf[middle]);
        const pending = planOf(inputs, mode).map(({ title }) => title);
        return { ...kept, ...recordHostKey(connection), done: {}, pending };
    };
    if (joins && trustDifferentOnes(clusterId, peers)) return deferJoin("rotation");
    if (joins && spec.role === "worker" && isUnmoved(spec, context)) return deferJoin("upgrade");
    const proven = joins && (await isAnother(inputs, connection, joins, context)) === "proven";
    const visit = { id, inputs, olds, connection, context, decided, joins, proven };
    const work = await workOn(visit, await forgetUndone(visit));
    const { waits } = work;
    if (waits !== undefined) {
        context.warn(`${name} does not move to Kubernetes ${spec.kubernetesVersion} yet: ${waits}`);
        const pending = [...new Set([...(olds?.pending ?? []), switchVersion.row.title])];
        return { ...(olds ?? { ...kept, done: {} }), pending };
    }
    try {
        return { ...kept, ...(await carryOut(visit, work, kept)), ...acceptedDrift(olds ?? {}, inputs) };
    } catch (error) {
        if (joins && (await joinsBehindMove(error, work.moving))) return deferJoin("upgrade");
        throw error;
    }
}

const isAnother = ({ spec, controlPlane }: NodeInputs, connection: Connection, joins: boolean, context: Context) =>
    named(spec.name, () => refuseAnotherMachine({ spec, connection, controlPlane, joins }, context));

interface Undone {
    isMember: boolean;
    /** The program asks for other certificates. */
    renews: boolean;
    /** Steps whose result somebody has changed. */
    again: string[];
}

/** Forgets what the machine's journal says of steps that a stopped run, a reset or a person has undone. */
async function forgetUndone({ inputs, olds, connection, context, decided, joins }: Visit): Promise<Undone> {
    const { spec, controlPlane } = inputs;
    const { clusterId, name } = spec;
    const { self, mode } = decided;
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
    return { isMember, renews, again };
}

type Moving = Parameters<typeof moveInPlace>[0];

interface Work {
    steps: Step[];
    planned: readonly Step[];
    done: Fingerprints;
    moving: Moving;
    /** To another version. */
    move: Parameters<typeof moveInPlace>[1] | undefined;
    /** Why it does not move in this run. */
    waits: string | undefined;
    /** It lost our notes, so it leaves in order before it joins again. */
    leaves: boolean;
    renews: boolean;
    isWatched: boolean;
    /** It is to be watched behind the work. */
    owes: boolean;
}

/** Everything to do on the machine. */
async function workOn({ inputs, olds, connection, context, decided, proven }: Visit, found: Undone): Promise<Work> {
    const { spec, controlPlane } = inputs;
    const { name } = spec;
    const { self, mode } = decided;
    const { isMember, renews, again } = found;
    const leaves = mode === "join" && hasLostItsNotes(self);
    const planned = planOf(inputs, isMember && !leaves ? "member" : mode, proven);
    if (leaves) refuseUnplanned(context, name, joinStep.title);
    const steps = repeated(planned, again);
    const recorded = await named(name, () => whatIsDone(inputs, olds, connection, context));
    const done = butSteps(recorded, [...again, ...(renews ? [certificatesStep] : [])]);
    const moving = { spec, controlPlane, machine: connection, context, soaks: soaks(inputs) };
    const mayMove = isMember && !leaves && asksForVersion(steps, done, olds, inputs);
    const { from, seen: ran } = mayMove ? await versionOf(moving) : {};
    const move = from === undefined ? undefined : { from, seen: ran! };
    const waits = move && (await whyMoveWaits(moving, move.from));
    const isWatched = !isMember && soaksWhenReplaced(inputs);
    // A run that was killed while it watched the node.
    const owes = move !== undefined || ran?.soaks === spec.kubernetesVersion || isWatched;
    return { steps, planned, done, moving, move, waits, leaves, renews, isWatched, owes };
}

async function carryOut(visit: Visit, work: Work, kept: Omit<NodeState, "done">) {
    const { id, inputs, olds, connection, context, decided, joins } = visit;
    const { spec, controlPlane } = inputs;
    const { clusterId, name } = spec;
    const { self } = decided;
    const { steps, done, moving, move, leaves, renews } = work;
    const { report, signal } = context;
    const master = () => untilControlPlaneReady(context, clusterId, controlPlane, "any");
    const go = async () => {
        // A machine that is no member by now has no etcd of the cluster.
        if (olds?.pending?.includes(cureWords.etcdSpace.todo) && self.memberOf === clusterId)
            await freeSpace(spec, connection, context);
        if (leaves) await leaveToJoinAgain(inputs, connection, context);
        if (move !== undefined) await moveInPlace(moving, move);
        if (work.isWatched) await runAct(noteSoak(spec), { node: name, clusterId, connection, report, signal });
        return operate({
            ...{ id, node: name, clusterId, steps, connection, controlPlane: master },
            // A machine that says that it is a member, and lacks keys.
            ...(self.memberOf === clusterId && {
                beforeSecrets: () => isAnother(inputs, connection, joins, context),
            }),
            // The machine's journal decides: the recorded state may be from before a rebuild.
            done: {},
            kept: { ...kept, ...(olds?.drift && { drift: olds.drift }) },
            exists: olds !== undefined,
            context,
        });
    };
    const rolling = {
        ...{ clusterId, node: name, role: spec.role, pool: inputs.pool, before: self },
        leaves: leaves || move !== undefined,
        // Where the certificates of all had ended, the first ones alone are no majority.
        servesAtEnd: renews && controlPlane.at(-1)?.name === name,
        look: () => machineStatusOf(connection, spec.address),
    };
    const reached = await inTurn(rolling, steps, done, context, go);
    if (work.owes) await soak(inputs, connection, async () => (await master()).connection, context);
    await noteSteps(connection, "node", work.planned, context, noteLeft);
    return { ...reached, ...(await certificatesSeen(name, connection, olds, context)) };
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

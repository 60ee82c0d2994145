import { NfvError } from "../common/errors";
import type { HostSpec } from "../common/model";
import { isGivenUp } from "../contract/give-up";
import type { CheckFailure, Context, ResourceType } from "../contract/types";
import { at, changed, failuresOf, hasUnknown, same } from "../contract/values";
import { carriesLoadBalancer, loadBalancerStep } from "../endpoint/install-load-balancer";
import { findings } from "../health/findings";
import { lookAtHealth, type MachineLook } from "../health/look";
import { inTheWay, refuseSoftware } from "../kubeadm/foreign-software";
import type { MachineStatus } from "../kubeadm/machine-status";
import { foreignNode } from "../kubeadm/membership";
import { ownershipOf } from "../kubeadm/ownership";
import { refuseAnotherMachine } from "../machine/another-machine";
import { cureWords } from "../machine/cure-words";
import {
    acceptedDrift,
    butSteps,
    type DriftInput,
    type DriftState,
    driftChanges,
    driftNote,
    repeated,
    withNote,
} from "../machine/drift";
import { waitForServer } from "../machine/first-contact";
import { type Cures, healthOf, runtimeStep, tell, withCures } from "../machine/health";
import { observeMachine, readJournal } from "../machine/journal";
import {
    away,
    awayOrReplaced,
    connectTo,
    forgetMachine,
    givesOtherHostKey,
    hurried,
    isLeftUndone,
    type MachineState,
    machineRules,
    named,
    operate,
    serverChanged,
} from "../machine/machine";
import { forgetDrifted, foundDrift, noteSteps } from "../machine/machine-drift";
import { machineStatusOf, machineStatusOrNone } from "../machine/machine-statuses";
import { programMasters } from "../machine/program-masters";
import { isGone } from "../machine/server";
import { areDone, loginOf } from "../machine/stored-machine";
import { bearIfGivenUp, machineToUndo } from "../machine/undo";
import { isHeldElsewhere } from "../member/held-elsewhere";
import { leaveCluster } from "../member/leave/leave";
import type { MachineInputs } from "../member/machine-inputs";
import { inTurn } from "../member/rolling";
import { refuseUpgradeOfMember, versionChange, whyNotStaged } from "../member/upgrade/upgrade";
import { machineDiff } from "../operation/wishes";
import type { Connection, SshTarget } from "../ssh";
import { credentialProblem } from "../ssh/credentials";
import { type Fingerprints, forgetNode, forgetStep, plan, planOnTheWay } from "../steps";
import { noteFormers } from "./former-endpoints";
import { type KeptSpec, keptSpec, specOf } from "./host-state";
import { hostSteps } from "./host-steps";
import { type KeptLogin, keptLogins } from "./kept-logins";
import { leaveWithHost, noteHostDeletion, wholeClusterGoes } from "./leave-with-host";
import { type Progress, refuseOtherMachines } from "./masters-that-stay";
import { refuseUnfit } from "./new-machine";
import { resetHost } from "./reset-host";

export interface HostInputs extends MachineInputs, DriftInput {
    spec: HostSpec;
}

/** What is stored of a Host: all that its deletion, a refresh and the next diff need. */
export interface HostState
    extends Omit<HostInputs, "spec" | "steps" | "fingerprintKey" | "pool">,
        MachineState,
        DriftState {
    spec: KeptSpec;
    /** Of a control-plane node: the logins of the others, through which a run without Masters takes it out of the cluster. */
    controlPlane?: readonly KeptLogin[];
    /** See loginOf. */
    login?: string;
}

/** By cure: the steps that `up` does again. */
const curesOfHost: Cures = {
    "restart container runtime": { steps: new Set([runtimeStep]), todo: cureWords.runtime.todo },
};

/** If one of these changes, it is another host. */
const identity = ["spec.clusterId", "spec.name", "spec.role", "spec.address"];

/** A machine that is prepared to become a node. Needs no other machine. */
export const host: ResourceType<HostInputs, HostState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, {
            ...machineRules,
            connection: login => (login ? credentialProblem(login as SshTarget) : undefined),
        }),
    }),
    needsCheckInCloud: (olds, news) => isMoved(olds, news) || getsOtherVersion(olds, news),
    checkInCloud: async (olds, news, context) => ({
        failures: isMoved(olds, news)
            ? await refuseNewMachine(news, context)
            : await refuseOtherVersion(olds, news, context),
    }),
    diff: (_id, olds, news) => {
        refuseOtherMachines(olds, news, progressOf(olds));
        const replaces = [...changed(olds, news, identity), ...(serverChanged(olds, news) ? ["serverId"] : [])];
        const update =
            !areDone(news.steps, olds.done) ||
            isLeftUndone(olds) ||
            endpointChanged(olds, news) ||
            givesOtherHostKey(olds, news) ||
            loginOf(olds) !== loginOf(news) ||
            driftChanges(olds, news);
        return withNote(machineDiff(olds, news, { replaces, update }), driftNote(news.spec.name, olds, news));
    },
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    read: async (id, state, context) => {
        const isOurs = (step: string) => step.startsWith("host.");
        let look: MachineLook | undefined;
        const observed = await observeMachine<HostInputs, HostState>(id, state, context, isOurs, shown => {
            look = healthOf(state.spec.name, shown, context);
        });
        if (observed.props === undefined) return observed;
        const found = findings({ name: state.spec.name, machine: look?.facts });
        // Of a node, its Node tells all findings in one line.
        if (look?.facts.joined === false) tell(state.spec.name, found, context);
        const props = foundDrift(observed.props, look, found, curesOfHost, context);
        return { ...observed, props: withCures(props, found, curesOfHost) };
    },
    delete: async (_id, state, context) => {
        await remove(state, context);
        // One that was given up may be another machine when it is made again, with another host key.
        if (isGivenUp(state.spec.clusterId, state.spec.name)) await forgetMachine(context, state.connection);
    },
};

/** Undoes what was done on the machine, and takes its node out of the cluster if no Node did. */
async function remove(state: HostState, context: Context): Promise<void> {
    if (isHeldElsewhere("Host", state, context)) return;
    const { clusterId, name, address, role, caCertHash } = state.spec;
    noteHostDeletion(state.spec, context);
    const gone = await isGone(context, state);
    const goesWithServer = state.server !== undefined && !gone;
    if (goesWithServer && wholeClusterGoes(state.spec, context)) return;
    const connection = connectTo(context, gone ? hurried(state.connection) : state.connection, state, state);
    // A cloud server that does not answer is deleted with its own resource.
    const bears = gone ? awayOrReplaced : state.server === undefined ? undefined : away;
    const asked = { clusterId, name, address, caCertHash, connection, bears, gone };
    const { found, isNoted, memberOf, memberSince } = await machineToUndo(asked, context);
    const hasLeft = await leaveWithHost(state, { found, own: connection, gone }, context);
    if (found !== "ours") {
        if (isNoted) await forgetNode(connection);
        if (gone) await forgetMachine(context, state.connection);
        return;
    }
    if (goesWithServer) return;
    const { report, warn, signal } = context;
    // Another run may join it between this look and the reset.
    const left = hasLeft || memberOf !== clusterId;
    const member = { clusterId, name, address, role, drain: { timeoutSeconds: 0, policy: "fail" } };
    try {
        // Here only the reset: the node has left, or the whole cluster goes.
        await leaveCluster({ spec: member, caCertHash, node: connection, hasLeft: left, memberSince, report, signal });
        const spec = specOf(state.spec);
        await forgetStep(connection, plan(hostSteps, spec, undefined)[0].id);
        await resetHost({ spec, connection, report, warn, signal });
        await forgetNode(connection);
    } catch (error) {
        bearIfGivenUp({ clusterId, name, connection }, context)(error);
    }
}

/** Another address is another machine: the former one leaves the cluster and is reset before the new one is prepared. */
function isMoved({ spec: before }: Partial<HostInputs>, { spec, connection, server }: HostInputs): boolean {
    if (server !== undefined || before?.address === undefined) return false;
    return !hasUnknown([before.address, spec, connection]) && before.address !== spec.address;
}

/** A bundle is on the operator's machine. */
function getsOtherVersion(olds: Partial<HostInputs>, { spec, connection }: HostInputs): boolean {
    const isKnown = !hasUnknown([spec, connection]) && spec.source.bundle === undefined;
    return isKnown && versionChange(olds, { spec }) !== undefined;
}

async function refuseOtherVersion(
    olds: Partial<HostInputs>,
    news: HostInputs,
    context: Context,
): Promise<CheckFailure[]> {
    const { name } = news.spec;
    try {
        const why = await whyNotStaged(olds, news, connectTo(context, news.connection, undefined, news));
        return why === undefined
            ? []
            : [{ property: "", reason: `${name}: INVALID_INPUT: ${why}. Nothing was touched` }];
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (error.code === "INVALID_INPUT") return [{ property: "", reason: error.message }];
        context.note(`${name}: whether it has the files of the new version was not found out: ${error.reason}`);
        return [];
    }
}

/** Looks at the machine at the new address first: a mistyped address must not cost the machine that works. */
async function refuseNewMachine(inputs: HostInputs, context: Context): Promise<CheckFailure[]> {
    const { clusterId, name, address, caCertHash } = inputs.spec;
    const why = await (async () => {
        try {
            const connection = connectTo(context, inputs.connection, undefined, inputs);
            const facts = await named(name, () => machineStatusOf(connection, address));
            const { ownership, why: found } = ownershipOf({ clusterId, name, caCertHash, facts });
            if (ownership === "foreign") return `it is not this cluster's to use: ${found}`;
            refuseSoftware(name, softwareInTheWay(inputs.spec, facts, ownership === "empty"));
            if (ownership === "empty" && !facts.isPrepared) await refuseUnfit(inputs.spec, connection);
            return undefined;
        } catch (error) {
            if (error instanceof NfvError) return error.reason;
            throw error;
        }
    })();
    if (why === undefined) return [];
    const reason =
        `${name}: the machine at its new address ${address} cannot take the place of the former one: ${why}. ` +
        "The former one would leave the cluster first, so nothing was touched. Correct the address, or the machine.";
    return [{ property: "", reason }];
}

/** Compared even if no step depends on it: the machine records the former endpoint, which others may use. */
function endpointChanged(olds: HostState, news: HostInputs): boolean {
    const [before, after] = [olds, news].map(each => at(each, "spec.endpoint"));
    return !hasUnknown(after) && !same(before, after);
}

/** A refresh may find that a step is not done any more: the machine was ready all the same. */
function progressOf({ spec, done, pending = [] }: HostState): Progress {
    const begun = Object.keys(done).length > 0;
    const all = plan(hostSteps, specOf(spec), undefined).every(({ id }) => done[id] !== undefined);
    return { begun, ready: begun && (all || pending.length === 0) };
}

function planOf(inputs: HostInputs) {
    return plan(hostSteps, inputs.spec, inputs.fingerprintKey);
}

async function reconcile(id: string, inputs: HostInputs, olds: HostState | undefined, context: Context) {
    const { clusterId, name } = inputs.spec;
    if (olds === undefined && inputs.server !== undefined) await forgetMachine(context, inputs.connection);
    const moved = olds !== undefined && olds.connection.host !== inputs.connection.host;
    const keys = moved ? { jumpHostKeys: olds.jumpHostKeys } : olds;
    const connection = connectTo(context, inputs.connection, keys, inputs);
    // The first connection may find the machine still booting, so wait.
    if (Object.keys(olds?.done ?? {}).length === 0) {
        await waitForServer({ ...inputs, node: name, connection, context });
    }
    const facts = await named(name, () => refuseForeign(inputs, connection, context, moved ? olds : undefined));
    const program = programMasters(context, clusterId);
    const asked = { spec: inputs.spec, connection, controlPlane: program?.wanted ?? [] };
    const isAnother = () => named(name, () => refuseAnotherMachine(asked, context));
    if (program?.mayLive && facts.memberOf !== clusterId) await isAnother();
    if (olds !== undefined) await named(name, () => refuseUpgradeOfMember(olds, inputs, connection));
    if (olds !== undefined) await named(name, () => forgetIfRuntimeIsDown(olds, connection, context));
    const again = await named(name, () => forgetDrifted("host", olds, inputs, connection, context));
    const done =
        olds === undefined
            ? {}
            : butSteps(await named(name, () => whatIsDone(inputs, olds.done, connection, context)), again);
    if (done[loadBalancerStep] === undefined) refuseSoftware(name, softwareInTheWay(inputs.spec, facts, false));
    const wanted = inputs.spec;
    const meanwhile = { ...wanted, formerEndpoints: await noteFormers(wanted, connection, olds?.spec, facts, context) };
    const planned = planOnTheWay(hostSteps, { wanted, meanwhile }, inputs.fingerprintKey);
    const steps = repeated(planned, again);
    const { role, address } = wanted;
    const { steps: _, fingerprintKey: __, pool, ...others } = inputs;
    const look = () => machineStatusOf(connection, address);
    const rolling = { clusterId, node: name, role, pool, before: facts, look };
    const exists = olds !== undefined;
    const controlPlane =
        role === "controlPlane" && program ? keptLogins(program.wanted, name, inputs.connection) : olds?.controlPlane;
    const kept = {
        ...others,
        spec: keptSpec(inputs.spec),
        login: loginOf(inputs),
        ...(controlPlane !== undefined && { controlPlane }),
    };
    const begun = { ...kept, ...(olds?.drift && { drift: olds.drift }) };
    const reached = await inTurn(rolling, steps, done, context, () =>
        operate({
            ...{ id, node: name, clusterId, steps, connection, done, kept: begun, exists, context },
            // Logins to registries and proxies.
            beforeSecrets: isAnother,
        }),
    );
    // What a later part of the run turns into the wanted state is not observed.
    const atEnd = planOf(inputs);
    const settled = planned.filter((step, i) => same(step, atEnd[i]));
    await noteSteps(connection, "host", settled, context);
    return { ...kept, ...reached, ...acceptedDrift(olds ?? {}, inputs) };
}

/**
 * The steps that are done. Where the journal differs from the state (`known`), a killed run was not recorded, and the
 * steps to be done again may be disruptive: that must be known before the machine's turn.
 *
 * A deletion first forgets the first step, then undoes all steps. If it was interrupted and the host is wanted again,
 * steps that the journal still has may be undone already, so all of them run again.
 */
async function whatIsDone(
    inputs: HostInputs,
    known: Fingerprints,
    connection: Connection,
    context: Context,
): Promise<Fingerprints> {
    const { clusterId, name } = inputs.spec;
    const journal = await readJournal(context, connection, clusterId, name);
    if (typeof journal !== "object") return known;
    const [first, ...others] = planOf(inputs).map(({ id }) => id);
    const noted = others.filter(each => journal.done[each] !== undefined);
    if (journal.done[first] !== undefined) {
        // Not what only the state has: a run that was killed after a reset may have done the first step, and no more.
        return Object.fromEntries([first, ...noted].map(id => [id, journal.done[id]!]));
    }
    for (const step of noted) await forgetStep(connection, step);
    return {};
}

/** The step that a refresh found undone has no probe, and interrupts: so the machine is asked again whether it must run. */
async function forgetIfRuntimeIsDown({ spec, done }: HostState, machine: Connection, context: Context): Promise<void> {
    if (Object.keys(done).length === 0 || done[runtimeStep] !== undefined) return;
    const journal = await readJournal(context, machine, spec.clusterId, spec.name);
    if (typeof journal !== "object" || journal.done[runtimeStep] === undefined) return;
    const found = findings({ name: spec.name, machine: await lookAtHealth(machine) });
    if (found.some(({ cure }) => cure === "restart container runtime")) await forgetStep(machine, runtimeStep);
}

/** Of a machine on which our load balancer was not yet installed. */
function softwareInTheWay(spec: HostSpec, { software }: MachineStatus, isEmpty: boolean): string[] {
    return software === undefined ? [] : inTheWay(software, spec, { isEmpty, getsBalancer: carriesLoadBalancer(spec) });
}

/** Checks a machine before anything is changed there. `moved`: its former state at another SSH host. */
async function refuseForeign(
    { spec, connection: target }: HostInputs,
    connection: Connection,
    context: Context,
    moved?: HostState,
): Promise<MachineStatus> {
    const { clusterId, name, address, caCertHash } = spec;
    const facts = await machineStatusOrNone(name, connection, address, context);
    const { ownership, why, hint } = ownershipOf({ clusterId, name, caCertHash, facts });
    if (ownership === "foreign") throw foreignNode(name, why, hint);
    if (ownership === "empty") {
        refuseSoftware(name, softwareInTheWay(spec, facts, true));
        // It was fit once, and what listens there is ours.
        if (!facts.isPrepared) await refuseUnfit(spec, connection);
    }
    if (moved === undefined || ownership === "ours" || Object.keys(moved.done).length === 0) return facts;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        cause: `ssh.host: ${target.host} is not the machine that was prepared at ${moved.connection.host}: nothing of ours is on it`,
        hint: "ssh.host is another way to the same machine. For another machine change its address, too, or give it another name.",
    });
}

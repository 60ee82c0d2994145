import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { same } from "../contract/values";
import { loadBalancerStep } from "../endpoint/install-load-balancer";
import { findings } from "../health/findings";
import { lookAtHealth } from "../health/look";
import { refuseSoftware } from "../kubeadm/foreign-software";
import type { MachineStatus } from "../kubeadm/machine-status";
import { foreignNode } from "../kubeadm/membership";
import { ownershipOf } from "../kubeadm/ownership";
import { refuseAnotherMachine } from "../machine/another-machine";
import { acceptedDrift, butSteps, repeated } from "../machine/drift";
import { waitForServer } from "../machine/first-contact";
import { runtimeStep } from "../machine/health";
import { readJournal } from "../machine/journal";
import { connectTo, forgetMachine, named, operate } from "../machine/machine";
import { forgetDrifted, noteSteps } from "../machine/machine-drift";
import { machineStatusOf, machineStatusOrNone } from "../machine/machine-statuses";
import { programMasters } from "../machine/program-masters";
import { loginOf } from "../machine/stored-machine";
import { inTurn } from "../member/rolling";
import { refuseUpgradeOfMember } from "../member/upgrade/upgrade";
import type { Connection } from "../ssh";
import { type Fingerprints, forgetStep, plan, planOnTheWay } from "../steps";
import { noteFormers } from "./former-endpoints";
import type { HostInputs, HostState } from "./host-state";
import { keptSpec } from "./host-state";
import { hostSteps } from "./host-steps";
import { keptLogins } from "./kept-logins";
import { refuseUnfit, softwareInTheWay } from "./new-machine";

function planOf(inputs: HostInputs) {
    return plan(hostSteps, inputs.spec, inputs.fingerprintKey);
}

/** Makes a machine into what the program wants of its host. */
export async function reconcile(id: string, inputs: HostInputs, olds: HostState | undefined, context: Context) {
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

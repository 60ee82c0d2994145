import { randomBytes } from "node:crypto";
import { NfvError } from "../common/errors";
import { isGivenUp } from "../contract/give-up";
import { runFacts } from "../contract/run-facts";
import type { CheckFailure, Context, InSession, ResourceType } from "../contract/types";
import { at, changed, failuresOf, hasUnknown, same, text, textMap } from "../contract/values";
import { ownershipOf } from "../kubeadm/ownership";
import { waitForServer } from "../machine/first-contact";
import { type Journal, journalToUndo, readJournal, tellWhatRuns } from "../machine/journal";
import {
    away,
    connectTo,
    forgetMachine,
    isLeftUndone,
    isUnreachable,
    type MachineState,
    named,
    operate,
    serverChanged,
} from "../machine/machine";
import { machineStatusOf } from "../machine/machine-statuses";
import { isGone } from "../machine/server";
import { machineDiff } from "../operation/wishes";
import type { Connection } from "../ssh";
import { type Fingerprints, forgetNode, forgetStep, plan, runAct, type Step, stale } from "../steps";
import { isStale } from "../steps/plan";
import { asFailures } from "../vim/check-cluster";
import { leaveStorage } from "./acts";
import { restoreFolders } from "./backup/restore-folders";
import type { Verdict } from "./disks/disk-verdict";
import { lookAtDisks, verdictsOf } from "./disks/look-at-disks";
import { prepareVolumes } from "./disks/prepare-volumes";
import { leavingOf, whoElseUses, whoUses, whyInUse } from "./exports-in-use";
import { makeFolders } from "./make-folders";
import { removeUnused } from "./remove-unused";
import { serveExports } from "./serve-exports";
import { inOrder, isOfCloud, ownerOf, type StorageSpec } from "./spec";
import { refusedChanges } from "./storage-changes";
import { type StorageMachineInputs, type StorageMachineState, servedBy, serverKey } from "./storage-machine-state";
import { observeStorage } from "./storage-observed";
import { storageBackupSteps, storageSteps } from "./storage-steps";

/** If one of these changes, it is another machine. */
const identity = ["spec.clusterId", "spec.name", "spec.address"];

/** A machine that serves volumes. Deleting it deletes no data. */
export const storageMachine: ResourceType<StorageMachineInputs, StorageMachineState> = {
    check: (olds, news) => {
        return {
            inputs: news,
            failures: [
                ...failuresOf(news, {
                    "spec.clusterId": text,
                    "spec.name": text,
                    "spec.address": text,
                    steps: textMap,
                }),
                ...(hasUnknown(news.spec) || olds.spec === undefined ? [] : refusedChanges(olds.spec, news.spec)),
            ],
        };
    },
    needsCheckInCloud: (olds, news) =>
        !hasUnknown([news.spec, news.connection]) &&
        (!same(olds.spec, news.spec) || (olds as Partial<StorageMachineState>).served !== undefined),
    checkInCloud: async (olds, news, context) => ({
        failures: [...asFailures(await whyInUse(olds, news, context)), ...(await refuseDisks(olds, news, context))],
    }),
    diff: (_id, olds, news) => {
        const replaces = [...changed(olds, news, identity), ...(serverChanged(olds, news) ? ["serverId"] : [])];
        const known = !hasUnknown([news.spec, news.fingerprintKey]);
        const update =
            isLeftUndone(olds) ||
            !same(olds.steps, news.steps) ||
            !same(olds.connection, news.connection) ||
            !same(olds.access, news.access) ||
            !same(olds.force, news.force) ||
            (known && stale(planOf(news), olds.done).length > 0);
        return machineDiff(olds, news, { replaces, update });
    },
    create: async (inputs, context) => {
        // A new id for each creation, so that clients are registered again.
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}/${randomBytes(4).toString("hex")}`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => {
        const used = await whyInUse(olds, news, context);
        if (used !== undefined) throw used;
        return { outs: await reconcile(id, news, olds, context) };
    },
    read: (id, state, context) => observeStorage(id, state, planOf(state), context),
    delete: async (_id, state, context) => {
        const { clusterId, name } = state.spec;
        // With --replace it is set up again at once: clients pause.
        const { program, did } = runFacts(context);
        const isSame = ({ spec }: StorageMachineInputs) => serverKey(spec) === serverKey(state.spec);
        const address = program.find("StorageMachine", isSame)?.news.spec.address;
        // If the server itself is replaced, what is on it goes before its own check.
        const isKept = at(program.ofCluster("OperationStart", clusterId)?.news, "spec.storage") === true;
        const followsItsServer = state.server !== undefined && address === undefined && isKept;
        const isMadeAgain = followsItsServer || address === state.spec.address;
        did.volumes.set(serverKey(state.spec), state.made ?? []);
        const unguarded = isMadeAgain || isGivenUp(clusterId, name);
        const gone = await isGone(context, state);
        // With its cluster go the cluster's claims; others may use it, too.
        const asked = runFacts(context).isEnding(clusterId) ? whoElseUses : whoUses;
        const users = unguarded ? undefined : await asked(state, leavingOf(state), context, gone);
        if (users !== undefined) throw orAtDestroy(users, state);
        if (!gone) await giveBack(state, connectTo(context, state.connection, state, state), isMadeAgain, context);
        const kept = inOrder(state.spec.volumes).map(
            ([volume, each]) => `${volume} on ${each.disk} (owner ${ownerOf(state.spec, each)})`,
        );
        if (kept.length > 0 && !isMadeAgain) context.warn(`${name}: volumes keep their data: ${kept.join(", ")}`);
    },
};

/** A destroy reads no program, and the cluster may never have stood, or be gone already. */
function orAtDestroy(
    { code, node, reason: cause, hint }: NfvError,
    { spec: { clusterId, name } }: StorageMachineState,
) {
    const also = `Where it is to go anyway: NFV_GIVE_UP=${clusterId}/${name} pulumi destroy does not ask who uses it; its volumes keep their data.`;
    return new NfvError({ code, node, cause, hint: `${hint} ${also}` });
}

/** Takes all of ours from the machine, so that its disks are whole when they leave it. */
async function giveBack(
    state: StorageMachineState,
    connection: Connection,
    isMadeAgain: boolean,
    context: Context,
): Promise<void> {
    const { clusterId, name } = state.spec;
    const found = await named(name, () => journalToUndo(connection, clusterId, name, context)).catch(error => {
        if (!isUnreachable(error)) throw error;
        if (state.server !== undefined && away.has(error.code)) {
            context.warn(
                `${name}: it was not unmounted, because it does not answer: ${error.reason}; its server is deleted`,
            );
            return "nothing" as const;
        }
        if (isGivenUp(clusterId, name)) return "nothing" as const;
        throw error;
    });
    if (found === "nothing") return;
    const { report, signal } = context;
    try {
        // If this stops half way, a refresh sees what is to be done again. One step stays noted: a machine without any counts as given back.
        const others = [...planOf(state).slice(1), ...plan(storageBackupSteps, state.spec, state.fingerprintKey)];
        for (const step of others) await forgetStep(connection, step.id);
        await runAct(leaveStorage(isMadeAgain), { node: name, clusterId, connection, report, signal });
        await forgetNode(connection);
    } catch (error) {
        if (!(error instanceof NfvError) || !isGivenUp(clusterId, name)) throw error;
        context.warn(`${name}: it was given up, and not all of ours was taken from it: ${error.reason}`);
    }
}

function planOf({ spec, fingerprintKey }: StorageMachineInputs, clients: StorageSpec["clients"] = {}) {
    return plan(storageSteps, { ...spec, clients }, fingerprintKey);
}

async function reconcile(
    id: string,
    inputs: StorageMachineInputs,
    olds: StorageMachineState | undefined,
    context: Context,
): Promise<StorageMachineState> {
    const { clusterId, name: node } = inputs.spec;
    if (olds === undefined && inputs.server !== undefined) await forgetMachine(context, inputs.connection);
    const connection = connectTo(context, inputs.connection, olds, inputs);
    // The first connection may find the machine still booting, so wait.
    if (Object.keys(olds?.done ?? {}).length === 0) await waitForServer({ ...inputs, node, connection, context });
    const journal = await named(node, () => refuseForeign(inputs, connection, context));
    const isBlank = journal === "blank";
    if (typeof journal === "object" && journal.running) await tellWhatRuns(connection, node, context, planOf(inputs));
    context.report("look at the disks");
    const reports = await named(node, () => lookAtDisks(connection, inputs.spec));
    const known = knownVolumes(olds, inputs, context);
    const decide = () => verdictsOf(inputs.spec, reports, known);
    const verdicts = olds === undefined ? keptIfLost(id, inputs, known, decide) : decide();
    for (const [volume, verdict] of Object.entries(verdicts)) {
        if (verdict !== "ours") context.report(`volume ${volume} will be made on ${inputs.spec.volumes[volume]!.disk}`);
    }
    // Where there is data, or was a server, clients may wait.
    const mayWait = olds !== undefined || Object.values(verdicts).includes("ours");
    const steps = planOf(inputs, mayWait ? inputs.clients : {});
    const before = isBlank ? {} : stillNoted(olds?.done ?? {}, journal);
    const isCopy = Object.entries(inputs.spec.volumes).some(([name, { disk }]) => isOtherDisk(olds, name, disk));
    const stands = isBlank ? [] : stepsOnNewFolders(verdicts, steps, before, isCopy);
    // Steps that a refresh found undone run again, although the machine's journal has them.
    const isUndone = (id: string) => olds !== undefined && !isBlank && olds.done[id] === undefined;
    for (const { id } of steps)
        if (isUndone(id) || stands.includes(id)) await named(node, () => forgetStep(connection, id));
    const done = Object.fromEntries(Object.entries(before).filter(([id]) => !stands.includes(id)));
    const exists = olds !== undefined;
    const served = olds && servedBy(olds);
    // The configuration starts no timer, and one whose file was away meanwhile has stopped.
    const configures = steps.some(step => step.id === "storage.backups" && isStale(step, done));
    const setUp = (isBlank || configures ? undefined : olds?.setUp) ?? randomBytes(4).toString("hex");
    const kept = { ...inputs, setUp, made: known, ...(served && { served }) };
    const reached = await operate({ id, node, clusterId, steps, connection, done, kept, exists, context });
    // all that was served before and is not wanted any more has ended
    return { ...inputs, setUp, ...reached, made: Object.keys(inputs.spec.volumes).sort() };
}

/** A run that was killed may have taken steps out of the machine's journal or done them otherwise, and its state does not know. */
function stillNoted(done: Fingerprints, journal: Journal): Fingerprints {
    if (typeof journal !== "object") return done;
    return Object.fromEntries(Object.entries(done).filter(([id, fingerprint]) => journal.done[id] === fingerprint));
}

/** Whether the cloud has made another disk for the volume. Another path of an existing machine leads to the same disk. */
function isOtherDisk(olds: StorageMachineState | undefined, name: string, disk: string): boolean {
    const former = olds?.spec.volumes[name]?.disk;
    return former !== undefined && former !== disk && isOfCloud(disk);
}

/** Steps that stand on folders which are new in this run: of a volume that is made again, or that a restore or a snapshot (`isCopy`) brings back. */
function stepsOnNewFolders(
    verdicts: Record<string, Verdict>,
    steps: readonly Step[],
    done: Fingerprints,
    isCopy: boolean,
): string[] {
    const ofFolders = [makeFolders.row.id, serveExports.row.id];
    if (Object.values(verdicts).some(verdict => verdict !== "ours"))
        return [prepareVolumes.row.id, restoreFolders.row.id, ...ofFolders, removeUnused.row.id];
    const restore = steps.find(({ id }) => id === restoreFolders.row.id);
    return isCopy || (restore !== undefined && isStale(restore, done)) ? ofFolders : [];
}

/** A creation that finds volumes lost keeps the resource: the next run must know, too, that they were made. */
function keptIfLost<T>(id: string, inputs: StorageMachineInputs, made: string[], decide: () => T): T {
    try {
        return decide();
    } catch (error) {
        if (!(error instanceof NfvError) || error.code !== "VOLUME_LOST") throw error;
        const pending = planOf(inputs).map(({ title }) => title);
        throw Object.assign(error, { id, properties: { ...inputs, made, done: {}, pending }, reasons: [error.reason] });
    }
}

/** Volumes that were made, as the state or this run knows. */
function knownVolumes(
    olds: Partial<StorageMachineState> | undefined,
    { spec }: StorageMachineInputs,
    context: InSession,
): string[] {
    const former = olds?.spec?.clusterId === spec.clusterId ? (olds.made ?? []) : [];
    return [...new Set([...former, ...(runFacts(context).did.volumes.get(serverKey(spec)) ?? [])])].sort();
}

/** Before the first look at its disks: a machine of somebody else is not even mounted from. @returns its journal */
async function refuseForeign(
    { spec }: StorageMachineInputs,
    connection: Connection,
    context: Context,
): Promise<Journal> {
    const { clusterId, name } = spec;
    const journal = await readJournal(context, connection, clusterId, name);
    if (journal === "foreign") throw foreignStorage(name);
    if (journal === "blank") await refuseNode(spec, connection);
    return journal;
}

/** Our journal alone says nothing of a node that others have made. It only reads. */
async function refuseNode({ clusterId, name, address }: StorageSpec, connection: Connection): Promise<void> {
    const facts = await machineStatusOf(connection, address);
    if (facts.traces.length === 0) return;
    const { why } = ownershipOf({ clusterId, name, facts });
    throw foreignStorage(name, why || `found: ${facts.traces.join(", ")}`);
}

function foreignStorage(node: string, why?: string): NfvError {
    const cause = "this machine is a node, or the storage server of somebody else; nothing on it was changed";
    return new NfvError({ code: "FOREIGN_NODE", node, cause: why === undefined ? cause : `${cause}\n${why}` });
}

/** At preview: what is on the disks. A machine that does not answer may come up in this run. */
async function refuseDisks(
    olds: Partial<StorageMachineInputs>,
    news: StorageMachineInputs,
    context: Context,
): Promise<CheckFailure[]> {
    if (same(olds.spec?.volumes, news.spec.volumes)) return [];
    try {
        const connection = connectTo(context, news.connection, olds as Partial<MachineState>, news);
        if (olds.spec === undefined) await named(news.spec.name, () => refuseNode(news.spec, connection));
        const reports = await named(news.spec.name, () => lookAtDisks(connection, news.spec));
        // A volume of the cloud is attached in `up` only.
        const there = reports.filter(({ volume, device }) => device !== undefined || !isOfCloud(diskOf(news, volume)));
        const volumes = Object.fromEntries(there.map(({ volume }) => [volume, news.spec.volumes[volume]!]));
        verdictsOf({ ...news.spec, volumes }, there, knownVolumes(olds, news, context));
        return [];
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (["FOREIGN_NODE", "FOREIGN_VOLUME", "VOLUME_LOST"].includes(error.code)) return asFailures(error);
        context.warn(`${news.spec.name}: its disks cannot be looked at now: ${error.reason}`);
        return [];
    }
}

function diskOf({ spec }: StorageMachineInputs, volume: string): string {
    return spec.volumes[volume]?.disk ?? "";
}

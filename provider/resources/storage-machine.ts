import { randomBytes } from "node:crypto";
import { contains, parseCidr, usualSpelling } from "../cidr";
import { NfvError } from "../errors";
import { storageSteps } from "../lifecycle/storage-steps";
import type { Connection, SshTarget } from "../ssh";
import { forgetNode, forgetStep, plan, runAct, stale } from "../steps";
import { observe } from "../steps/observe";
import { leaveStorage } from "../storage/acts";
import { connectedClients } from "../storage/connected-clients";
import { lookAtDisks, verdictsOf } from "../storage/look-at-disks";
import { type ExportSpec, inOrder, isOfCloud, ownerOf, type StorageSpec } from "../storage/spec";
import { asFailures, type ClusterAccess } from "./check-cluster";
import { waitForServer } from "./first-contact";
import { isGivenUp } from "./give-up";
import { journalToUndo, readJournal } from "./journal";
import {
    away,
    connectTo,
    forgetMachine,
    isUnreachable,
    type MachineState,
    named,
    operate,
    type ProgramPath,
    type ServerInputs,
    type StepInputs,
    serverChanged,
} from "./machine";
import { hasStorage, isEnding } from "./program-masters";
import { isGone } from "./server";
import { refusedChanges } from "./storage-changes";
import { guardedOf, inUse, type Leaving } from "./storage-users";
import type { CheckFailure, Context, InSession, ResourceType } from "./types";
import { changed, failuresOf, hasUnknown, same, text, textMap, topLevel } from "./values";

export interface StorageMachineInputs extends StepInputs, ProgramPath, ServerInputs {
    spec: StorageSpec;
    connection: SshTarget;
    /** The cluster whose claims and pods use the exports. Secret. */
    access?: ClusterAccess;
    /** Names of volumes and exports that may go although they are in use. */
    force: string[];
    /** Addresses of the registered clients, by name. Used only on a machine that takes the place of a former one; a change changes nothing. */
    clients?: Record<string, string[]>;
}

export interface StorageMachineState extends StorageMachineInputs, MachineState {
    /** Names of volumes that were made: on a machine that takes the place of a former one they are not empty. */
    made?: string[];
    /** After an update that failed half way: the exports before it, which may still be served. */
    served?: Record<string, ExportSpec>;
}

/** If one of these changes, it is another machine. */
const identity = ["spec.clusterId", "spec.name", "spec.address"];

/** A machine that serves volumes. Deleting it deletes no data. */
export const storageMachine: ResourceType<StorageMachineInputs, StorageMachineState> = {
    check: (olds, news, context) => {
        noteWanted(context, news);
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
            !same(olds.steps, news.steps) ||
            !same(olds.connection, news.connection) ||
            !same(olds.access, news.access) ||
            !same(olds.force, news.force) ||
            (known && stale(planOf(news), olds.done).length > 0);
        return { changes: replaces.length > 0 || update, replaces: topLevel(replaces), deleteBeforeReplace: true };
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
    read: (id, state, context) => observed(id, state, context),
    delete: async (_id, state, context) => {
        const { clusterId, name } = state.spec;
        // With the whole cluster its claims go, and no data. With --replace it is set up again at once: clients pause.
        const isMadeAgain = isWanted(context, state) || (state.server !== undefined && hasStorage(context, clusterId));
        if (isMadeAgain) context.session.part(Made).set(keyOf(state.spec), state.made ?? []);
        const unguarded = isMadeAgain || isEnding(context, clusterId) || isGivenUp(clusterId, name);
        const gone = await isGone(context, state);
        const users = unguarded ? undefined : await usersOf(state, leavingOf(state), context, gone);
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
    const also = `Where the cluster is to go anyway: NFV_GIVE_UP=${clusterId}/${name} pulumi destroy does not ask who uses it; its volumes keep their data.`;
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
        // If this stops half way, a refresh sees that nothing is done any more.
        for (const step of planOf(state)) await forgetStep(connection, step.id);
        await runAct(leaveStorage(isMadeAgain), { node: name, clusterId, connection, report, signal });
        await forgetNode(connection);
    } catch (error) {
        if (!(error instanceof NfvError) || !isGivenUp(clusterId, name)) throw error;
        context.warn(`${name}: it was given up, and not all of ours was taken from it: ${error.reason}`);
    }
}

/** Servers that the program of this run has, by owner, name and address. */
class Wanted extends Set<string> {}

const keyOf = ({ clusterId, name, address }: StorageSpec) => [clusterId, name, address].join(" ");

/** Volumes of machines that this run has taken away to make them again, by owner, name and address. */
class Made extends Map<string, readonly string[]> {}

function noteWanted(context: InSession | undefined, { spec }: StorageMachineInputs): void {
    if (!hasUnknown(spec)) context?.session.part(Wanted).add(keyOf(spec));
}

/** Whether the program has this machine still: then a deletion belongs to its replacement. */
function isWanted({ session }: InSession, { spec }: StorageMachineState): boolean {
    return session.part(Wanted).has(keyOf(spec));
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
    const isBlank = await named(node, () => refuseForeign(inputs, connection, context));
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
    // Steps that a refresh found undone run again, although the machine's journal has them.
    const undone = olds === undefined || isBlank ? [] : steps.filter(step => olds.done[step.id] === undefined);
    for (const { id: step } of undone) await named(node, () => forgetStep(connection, step));
    const done = isBlank ? {} : (olds?.done ?? {});
    const exists = olds !== undefined;
    const served = olds && servedBy(olds);
    const kept = { ...inputs, made: known, ...(served && { served }) };
    const reached = await operate({ id, node, clusterId, steps, connection, done, kept, exists, context });
    // all that was served before and is not wanted any more has ended
    return { ...inputs, ...reached, made: Object.keys(inputs.spec.volumes).sort() };
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
    { session }: InSession,
): string[] {
    const former = olds?.spec?.clusterId === spec.clusterId ? (olds.made ?? []) : [];
    return [...new Set([...former, ...(session.part(Made).get(keyOf(spec)) ?? [])])].sort();
}

/** Before the first look at its disks: a machine of somebody else is not even mounted from. Whether it is unused. */
async function refuseForeign(
    { spec }: StorageMachineInputs,
    connection: Connection,
    context: Context,
): Promise<boolean> {
    const journal = await readJournal(context, connection, spec.clusterId, spec.name);
    if (journal !== "foreign") return journal === "blank";
    throw new NfvError({
        code: "FOREIGN_NODE",
        node: spec.name,
        cause: "this machine is a node, or the storage server of somebody else; nothing on it was changed",
    });
}

/** The exports that clients may use, as far as the state knows. */
function servedBy({ spec, served }: Partial<StorageMachineState>): Record<string, ExportSpec> {
    return { ...spec?.exports, ...served };
}

/** What was served and will not be: exports, and volumes with theirs. Another address is another server: clients do not follow. */
export function leavingOf(olds: Partial<StorageMachineState>, news?: StorageMachineInputs): Leaving[] {
    const { address = "" } = olds.spec ?? {};
    return inOrder(servedBy(olds))
        .filter(([path, each]) => {
            const after = news?.spec.address === address ? news.spec.exports[path] : undefined;
            const closed =
                each.registeredClients && after?.registeredClients === false && !takesNodes(after, news?.clients);
            return after === undefined || after.volume !== each.volume || after.folder !== each.folder || closed;
        })
        .map(([path, each]: [string, ExportSpec]) => ({
            what: `export ${path}`,
            names: [path, each.volume],
            asked: { export: { addresses: [address], path } },
        }));
}

/** Why what goes must stay. */
function whyInUse(
    olds: Partial<StorageMachineInputs>,
    news: StorageMachineInputs,
    context: Context,
): Promise<NfvError | undefined> {
    const access = hasUnknown(news.access) ? olds.access : news.access;
    const { force } = news;
    const clients = hasUnknown(news.clients) ? olds.clients : news.clients;
    return usersOf({ ...olds, access, force, clients }, leavingOf(olds, news), context);
}

/** Whether an export that names its clients names the nodes, too. */
function takesNodes({ clients }: ExportSpec, nodes: StorageMachineInputs["clients"] = {}): boolean {
    const isIn = (address: string) =>
        clients.some(each => {
            const net = parseCidr(each);
            return net === undefined ? usualSpelling(each) === usualSpelling(address) : contains(net, address);
        });
    const addresses = hasUnknown(nodes) ? [] : Object.values(nodes).flat();
    return addresses.length > 0 && addresses.every(isIn);
}

/** Of a cluster's server the cluster says who uses what. Of another one the machine says at least who is connected. */
async function usersOf(
    state: Partial<StorageMachineState>,
    leaving: readonly Leaving[],
    context: Context,
    /** A server that no longer exists has no clients. */
    gone = false,
): Promise<NfvError | undefined> {
    const { access, force = [], spec, connection, clients } = state;
    const node = spec?.name ?? "";
    const used = access && (await inUse({ leaving, access, force, node }));
    if (used !== undefined || gone) return used;
    const guarded = guardedOf(leaving, force).filter(each => access === undefined || hasOthers(state, each));
    if (guarded.length === 0 || spec === undefined || connection === undefined) return undefined;
    const what = guarded.map(each => each.what).join(", ");
    const refuse = (cause: string) => new NfvError({ code: "DATA_IN_USE", node, cause });
    try {
        const connected = await connectedClients(connectTo(context, connection, state, state), spec);
        const nodes = new Set(
            access &&
                Object.values(clients ?? {})
                    .flat()
                    .map(usualSpelling),
        );
        const others = connected.filter(each => !nodes.has(usualSpelling(each)));
        if (others.length === 0) return undefined;
        return refuse(
            `${what}: these clients are connected, and may use it: ${others.join(", ")}; nothing was changed`,
        );
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return refuse(`${what}: who mounts it cannot be asked, so it counts as used: ${error.reason}`);
    }
}

/** Whether it names clients that are no nodes: their cluster knows nothing of them. */
function hasOthers(state: Partial<StorageMachineState>, { names: [path] }: Leaving): boolean {
    return (servedBy(state)[path!]?.clients ?? []).length > 0;
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
        const reports = await named(news.spec.name, () => lookAtDisks(connection, news.spec));
        // A volume of the cloud is attached in `up` only.
        const there = reports.filter(({ volume, device }) => device !== undefined || !isOfCloud(diskOf(news, volume)));
        const volumes = Object.fromEntries(there.map(({ volume }) => [volume, news.spec.volumes[volume]!]));
        verdictsOf({ ...news.spec, volumes }, there, knownVolumes(olds, news, context));
        return [];
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (["FOREIGN_VOLUME", "VOLUME_LOST"].includes(error.code)) return asFailures(error);
        context.warn(`${news.spec.name}: its disks cannot be looked at now: ${error.reason}`);
        return [];
    }
}

function diskOf({ spec }: StorageMachineInputs, volume: string): string {
    return spec.volumes[volume]?.disk ?? "";
}

async function observed(id: string, state: StorageMachineState, context: Context) {
    const { clusterId, name } = state.spec;
    const keep = (why: string) => {
        context.warn(`${name}: kept as it was: ${why}`);
        return { id, props: state };
    };
    try {
        const connection = connectTo(context, state.connection, state, state);
        const journal = await readJournal(context, connection, clusterId, name);
        if (journal === "busy") return keep("another run works on this machine");
        if (journal === "foreign") return {};
        const steps = planOf(state);
        // A machine in the place of the former one: its clients wait, and their state says who they are.
        if (journal === "blank") return { id, props: { ...state, done: {}, pending: steps.map(({ title }) => title) } };
        const found = await observe(connection, steps);
        const differing = steps.filter(step => found[step.id]?.state === "differs");
        const done = Object.fromEntries(
            Object.entries(journal.done).filter(([step]) => !differing.some(each => each.id === step)),
        );
        return { id, props: { ...state, done, pending: differing.map(({ title }) => title) } };
    } catch (error) {
        if (!isUnreachable(error)) throw error;
        return keep(error.reason);
    }
}

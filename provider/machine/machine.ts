import { type ErrorCode, NfvError } from "../common/errors";
import { refuseUnplanned } from "../contract/steps-of-plan";
import type { CommonInputs, Context, InSession } from "../contract/types";
import { at, type Rules, text, textMap, unknownValue } from "../contract/values";
import type { CloudSettings } from "../openstack/settings";
import { type Connection, Connections, parseHostKey, placeOf, type SshTarget } from "../ssh";
import { type Fingerprints, type NodeConnection, runSteps, type Step, StepsFailed, stale } from "../steps";

/** Inputs of resources that run steps on a machine. */
export interface StepInputs extends CommonInputs {
    /** Shown at preview: title → fingerprint of each step. */
    steps: Record<string, string>;
    /** Secret: key of the fingerprints. */
    fingerprintKey: string;
}

/** Inputs of a machine that is a server of a cloud. */
export interface ServerInputs {
    /** Id of the server in Nova. Another id is another machine; undefined: unknown, which changes nothing. */
    serverId?: string;
    /** Undefined: the machine is not a cloud server that we know of, so no cloud is asked about it. */
    server?: ServerSettings;
}

/** The machine's place in the program, for hints. */
export interface ProgramPath {
    /** "infrastructure.hosts.pools.workers.w1"; undefined for a cloud server. */
    programPath?: string;
}

export interface ServerSettings {
    cloud: CloudSettings;
    /** From CloudCheck: id of the project in which the cluster was created. */
    project?: string;
    /** From CloudCheck: the region in which the cluster was created. */
    region?: string;
    /** How long a new server may take until SSH answers and cloud-init has ended, in seconds. @default 600 */
    bootTimeoutSeconds?: number;
}

export interface StepState {
    /** Step id → fingerprint of the completed step. */
    done: Fingerprints;
    /** Titles of the steps that a failed operation did not complete. */
    pending?: string[];
}

/** The last run stopped on the way: it may have begun steps that `done` has as they were before. */
export function isLeftUndone({ pending = [] }: Pick<StepState, "pending">): boolean {
    return pending.length > 0;
}

export interface MachineState extends StepState {
    /** "ssh-ed25519 AAAA…", as recorded at the first connection, or as given. */
    hostKey?: string;
    /** The host keys of the jump hosts on the way, by place ("bastion:22", "inner:22 via bastion:22"). */
    jumpHostKeys?: Record<string, string>;
}

/** Rules for the inputs that Host and Node share. */
export const machineRules: Rules = {
    "spec.clusterId": text,
    "spec.name": text,
    "spec.address": text,
    "connection.host": text,
    steps: textMap,
};

/** A control-plane node, through which nodes join and leave. */
export interface Peer {
    name: string;
    connection: SshTarget;
    /** Where its API server listens. @default the connection's host */
    address?: string;
}

/** Another host of the same name is another machine. */
export function machineKey({ name, connection }: Peer): string {
    return `${name} ${connection.host}`;
}

/** The host keys in a state: the machine's and those of its jump hosts. */
export type RecordedKeys = Pick<MachineState, "hostKey" | "jumpHostKeys">;

/**
 * The connection to a machine. The machine and each jump host must show the key that the user gave, the state has, or
 * this run recorded earlier.
 */
export function connectTo(
    { session }: InSession,
    target: SshTarget,
    recorded: RecordedKeys = {},
    { server, programPath }: Pick<ServerInputs, "server"> & ProgramPath = {},
): Connection {
    const connections = session.part(Connections);
    const from = server === undefined ? programPath && `${programPath}.ssh.hostKey` : "cloud";
    const kept = held(connections, target, recorded.hostKey, recorded.jumpHostKeys ?? {});
    return connections.to({ ...kept, ...(from !== undefined && { hostKeyFrom: from }) });
}

function held(
    connections: Connections,
    target: SshTarget,
    recorded: string | undefined,
    jumpKeys: Record<string, string>,
): SshTarget {
    const hostKey = target.hostKey ?? recorded ?? connections.hostKeyOf(target);
    const jump = target.jump && held(connections, target.jump, jumpKeys[placeOf(target.jump)], jumpKeys);
    return { ...target, ...(hostKey !== undefined && { hostKey }), ...(jump && { jump }) };
}

/** The host keys to record. The rest of this run expects them, too. */
export function recordHostKey(connection: Connection): RecordedKeys {
    connection.recordHostKey();
    const jumpHostKeys: Record<string, string> = {};
    for (let each = connection.jump; each !== undefined; each = each.jump) {
        const key = each.hostKey ?? each.target.hostKey;
        if (key !== undefined) jumpHostKeys[placeOf(each.target)] = key;
    }
    const hostKey = connection.hostKey ?? connection.target.hostKey;
    return {
        ...(hostKey !== undefined && { hostKey }),
        ...(Object.keys(jumpHostKeys).length > 0 && { jumpHostKeys }),
    };
}

/** Whoever asks the machine in this run expects the keys in its state, also for the sake of another machine. */
export function expectRecordedKeys({ session }: InSession, state: RecordedKeys & { connection?: SshTarget }): void {
    const { connection, hostKey, jumpHostKeys = {} } = state;
    if (connection === undefined) return;
    session
        .part(Connections)
        .expect({ ...jumpHostKeys, ...(hostKey !== undefined && { [placeOf(connection)]: hostKey }) });
}

/** Forgets host key and connections of a machine that was recreated at the same place. */
export async function forgetMachine({ session }: InSession, target: SshTarget): Promise<void> {
    await session.part(Connections).forget(target);
}

/** A connection with a short timeout, for a machine that most likely no longer exists. */
export function hurried(target: SshTarget): SshTarget {
    return { ...target, connectTimeoutSeconds: Math.min(target.connectTimeoutSeconds ?? 15, 4) };
}

/**
 * Whether the server is another one than recorded. Undefined counts as no change: an id may be known later than the
 * machine.
 */
export function serverChanged(olds: ServerInputs, news: ServerInputs): boolean {
    return olds.serverId !== undefined && news.serverId !== undefined && olds.serverId !== news.serverId;
}

/** Whether the program gives another host key than the recorded one. The key of a cloud server is derived from the state, so it is always the same. */
export function givesOtherHostKey(
    olds: Pick<MachineState, "hostKey"> & { connection: SshTarget },
    news: Pick<ServerInputs, "server"> & { connection: SshTarget },
): boolean {
    const given = at(news, "connection.hostKey");
    if (news.server !== undefined || given === undefined || given === unknownValue) return false;
    const before = olds.hostKey ?? olds.connection.hostKey;
    if (given === before) return false;
    return before === undefined || parseHostKey(given as string).fingerprint !== parseHostKey(before).fingerprint;
}

export interface Operation {
    /** Id of the resource. */
    id: string;
    node: string;
    clusterId: string;
    steps: Step[];
    connection: Connection;
    controlPlane?: () => Promise<NodeConnection>;
    /** See RunContext. */
    beforeSecrets?: () => Promise<unknown>;
    done: Fingerprints;
    /** What is stored of the resource besides `MachineState`. */
    kept: object;
    /** The resource exists already, so it is kept even if the operation fails. */
    exists: boolean;
    context: Context;
}

/** Codes of errors before any change: a resource that did not exist before does not exist now either. */
const untouched = new Set(["FOREIGN_NODE", "INVALID_INPUT", "HOST_KEY_CHANGED", "NODE_BUSY"]);

/** Runs the steps. A failure keeps what was completed, in the form in which the engine keeps the resource. */
export async function operate(operation: Operation): Promise<MachineState> {
    const { node, clusterId, steps, connection, controlPlane, beforeSecrets, done, context } = operation;
    const { report, signal } = context;
    const run = { node, clusterId, connection, controlPlane, beforeSecrets, done, report, signal };
    try {
        const begin = (step: Step) => refuseUnplanned(context, node, step.title);
        const reached = await runSteps(steps, { ...run, begin });
        return { ...recordHostKey(connection), done: reached, pending: [] };
    } catch (error) {
        throw error instanceof StepsFailed ? partialFailure(error, operation) : error;
    }
}

/**
 * Adds `id`, `properties` and `reasons` to the error, so that the engine keeps the resource and updates it at the next
 * `up`.
 */
function partialFailure(error: StepsFailed, operation: Operation): Error {
    const { id, kept, exists, steps, connection } = operation;
    const nothingDone = Object.keys(error.done).length === 0;
    if (!exists && nothingDone && (untouched.has(error.code) || connection.hostKey === undefined)) {
        return error;
    }
    const state: MachineState = {
        ...recordHostKey(connection),
        done: exists && nothingDone ? operation.done : error.done,
        pending: stale(steps, error.done).map(step => step.title),
    };
    const reason = `step "${error.step ?? "connect"}" failed: ${error.message}`;
    return Object.assign(error, { id, properties: { ...kept, ...state }, reasons: [reason] });
}

/** Adds the node's name to errors of a connection, which only know an address. */
export async function named<T>(node: string, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        if (!(error instanceof NfvError) || error.node !== undefined) throw error;
        const { code, step, reason, hint, output } = error;
        throw new NfvError({ code, node, step, cause: reason, hint, output });
    }
}

/** Whether the error means that a machine cannot be reached, so that nothing is known about it. */
export function isUnreachable(error: unknown): error is NfvError {
    return error instanceof NfvError && unreachable.has(error.code);
}

const unreachable = new Set([
    "CONNECT_FAILED",
    "CONNECTION_LOST",
    "AUTHENTICATION_FAILED",
    "HOST_KEY_CHANGED",
    "SUDO_REFUSED",
    "STEP_TIMEOUT",
]);

/** The machine answers, and does not let us in: it lives, or another one is in its place. */
export const closed: ReadonlySet<ErrorCode> = new Set(["AUTHENTICATION_FAILED", "HOST_KEY_CHANGED", "SUDO_REFUSED"]);

/** The machine does not answer. It may be alive. */
export const away: ReadonlySet<ErrorCode> = new Set(["CONNECT_FAILED", "CONNECTION_LOST", "STEP_TIMEOUT"]);

/**
 * Nothing answers, or another machine does. Enough to consider a machine gone if the cloud does not have its server. A
 * machine that only refuses our login is alive.
 */
export const awayOrReplaced: ReadonlySet<ErrorCode> = new Set([...away, "HOST_KEY_CHANGED"]);

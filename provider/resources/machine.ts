import { type ErrorCode, NfvError } from "../errors";
import type { CloudSettings } from "../openstack/settings";
import { type Connection, connect, forget, parseHostKey, type SshTarget } from "../ssh";
import { type Fingerprints, runSteps, type Step, StepsFailed, stale } from "../steps";
import type { CommonInputs, Context } from "./types";
import { at, type Rules, text, textMap, unknownValue } from "./values";

/** Inputs of resources that bring a machine somewhere by steps. */
export interface StepInputs extends CommonInputs {
    /** What preview shows: title → fingerprint of each step. */
    steps: Record<string, string>;
    /** Secret: key of the fingerprints. */
    fingerprintKey: string;
}

/** Inputs of a machine that is a server of a cloud. */
export interface ServerInputs {
    /** Of the server in Nova. Another one is another machine; undefined: not said, which changes nothing. */
    serverId?: string;
    /** Undefined: the machine is no server that we know of, and no cloud is ever asked about it. */
    server?: ServerSettings;
}

/** Where a machine stands in the program, for hints. */
export interface ProgramPath {
    /** "infrastructure.hosts.pools.workers.w1"; undefined: a server of a cloud, or not said by the release that wrote the state. */
    programPath?: string;
}

export interface ServerSettings {
    cloud: CloudSettings;
    /** Of CloudCheck: id of the project in which the cluster was made. */
    project?: string;
    /** Of CloudCheck: the region in which the cluster was made. */
    region?: string;
    /** How long a new server may take until SSH answers and cloud-init has ended, in seconds. @default 600 */
    bootTimeoutSeconds?: number;
}

export interface StepState {
    /** Step id → fingerprint of what was done. */
    done: Fingerprints;
    /** Titles of the steps that a failed operation left undone. */
    pending?: string[];
}

export interface MachineState extends StepState {
    /** "ssh-ed25519 AAAA…", as pinned at the first contact, or as given. */
    hostKey?: string;
    /** The same of the jump hosts on the way, by place ("bastion:22", "inner:22 via bastion:22"). */
    jumpHostKeys?: Record<string, string>;
}

/** What Host and Node ask of their inputs alike. */
export const machineRules: Rules = {
    "spec.clusterId": text,
    "spec.name": text,
    "spec.address": text,
    "connection.host": text,
    steps: textMap,
};

/** A control-plane node: where join tokens and goodbyes come from. */
export interface Peer {
    name: string;
    connection: SshTarget;
    /** Where its API server listens. @default the connection's host */
    address?: string;
}

/** What a state knows of the keys on the way to its machine. */
export type RecordedKeys = Pick<MachineState, "hostKey" | "jumpHostKeys">;

/** Host keys seen in this run: what one resource pinned, the others hold the same machine to. */
const pinned = new Map<string, string>();

/** Behind two jump hosts the same private address is two machines. */
export function placeOf({ host, port = 22, jump }: SshTarget): string {
    return `${host}:${port}${jump === undefined ? "" : ` via ${placeOf(jump)}`}`;
}

/** The connection to a machine; it and each jump host on the way are held to the key that is given, recorded, or pinned earlier in this run. */
export function connectTo(
    target: SshTarget,
    recorded: RecordedKeys = {},
    { server, programPath }: Pick<ServerInputs, "server"> & ProgramPath = {},
): Connection {
    const from = server === undefined ? programPath && `${programPath}.ssh.hostKey` : "cloud";
    const kept = held(target, recorded.hostKey, recorded.jumpHostKeys ?? {});
    return connect({ ...kept, ...(from !== undefined && { hostKeyFrom: from }) });
}

function held(target: SshTarget, recorded: string | undefined, jumpKeys: Record<string, string>): SshTarget {
    const hostKey = target.hostKey ?? recorded ?? pinned.get(placeOf(target));
    const jump = target.jump && held(target.jump, jumpKeys[placeOf(target.jump)], jumpKeys);
    return { ...target, ...(hostKey !== undefined && { hostKey }), ...(jump && { jump }) };
}

/** The host keys to record; also held to by the rest of this run. */
export function recordHostKey(connection: Connection): RecordedKeys {
    const jumpHostKeys: Record<string, string> = {};
    for (let each = connection.jump; each !== undefined; each = each.jump) {
        const key = each.hostKey ?? each.target.hostKey;
        if (key === undefined) continue;
        jumpHostKeys[placeOf(each.target)] = key;
        pinned.set(placeOf(each.target), key);
    }
    // A machine that did not answer this time is held to the same key the next time.
    const hostKey = connection.hostKey ?? connection.target.hostKey;
    if (hostKey !== undefined) pinned.set(placeOf(connection.target), hostKey);
    return {
        ...(hostKey !== undefined && { hostKey }),
        ...(Object.keys(jumpHostKeys).length > 0 && { jumpHostKeys }),
    };
}

/** For a machine that was made anew at the same place: neither its host key nor a connection to the former one counts. */
export async function forgetMachine(target: SshTarget): Promise<void> {
    pinned.delete(placeOf(target));
    await forget(target);
}

/** A connection to a machine that is most likely not there: it is not waited for as long as for one that may boot. */
export function hurried(target: SshTarget): SshTarget {
    return { ...target, connectTimeoutSeconds: Math.min(target.connectTimeoutSeconds ?? 15, 4) };
}

/** Another server than the recorded one. Undefined says nothing: an id may come later than the machine. */
export function serverChanged(olds: ServerInputs, news: ServerInputs): boolean {
    return olds.serverId !== undefined && news.serverId !== undefined && olds.serverId !== news.serverId;
}

/** Whether the program gives another host key than the one that is pinned. That of a cloud's server is always the program's. */
export function givesOtherHostKey(
    olds: Pick<MachineState, "hostKey"> & { connection: SshTarget },
    news: Pick<ServerInputs, "server"> & { connection: SshTarget },
): boolean {
    const [given, before] = [at(news, "connection.hostKey"), olds.hostKey ?? olds.connection.hostKey];
    if (news.server !== undefined || given === undefined || given === unknownValue || given === before) return false;
    return before === undefined || parseHostKey(given as string).fingerprint !== parseHostKey(before).fingerprint;
}

/** Inputs of a connection that make a difference by themselves: not the host key, see givesOtherHostKey. */
export function withoutHostKey({ hostKey: _, ...target }: SshTarget): SshTarget {
    return target;
}

export interface Operation {
    /** Id of the resource. */
    id: string;
    node: string;
    clusterId: string;
    steps: Step[];
    connection: Connection;
    controlPlane?: () => Promise<Connection>;
    done: Fingerprints;
    inputs: StepInputs;
    /** The resource exists already: it is kept whatever happens. */
    exists: boolean;
    context: Context;
}

/** Codes that say that nothing was, or may be, touched: a resource that did not exist yet does not exist now. */
const untouched = new Set(["FOREIGN_NODE", "INVALID_INPUT", "HOST_KEY_CHANGED", "NODE_BUSY"]);

/** Runs the steps; a failure keeps what was reached, in the form by which the engine keeps the resource. */
export async function operate(operation: Operation): Promise<MachineState> {
    const { node, clusterId, steps, connection, controlPlane, done, context } = operation;
    const { report, signal } = context;
    try {
        const reached = await runSteps(steps, { node, clusterId, connection, controlPlane, done, report, signal });
        return { ...recordHostKey(connection), done: reached, pending: [] };
    } catch (error) {
        throw error instanceof StepsFailed ? partialFailure(error, operation) : error;
    }
}

/** The error with `id`, `properties` and `reasons`: the engine keeps the resource and updates it at the next `up`. */
function partialFailure(error: StepsFailed, operation: Operation): Error {
    const { id, inputs, exists, steps, connection } = operation;
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
    return Object.assign(error, { id, properties: { ...inputs, ...state }, reasons: [reason] });
}

/** Errors of a connection know an address only: this adds whose it is. */
export async function named<T>(node: string, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        if (!(error instanceof NfvError) || error.node !== undefined) throw error;
        const { code, step, reason, hint, output } = error;
        throw new NfvError({ code, node, step, cause: reason, hint, output });
    }
}

/** Whether an error says that a machine cannot be reached, so that nothing is known about it. */
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

/** The machine does not answer. Whether it lives is not known. */
export const away: ReadonlySet<ErrorCode> = new Set(["CONNECT_FAILED", "CONNECTION_LOST", "STEP_TIMEOUT"]);

/** Nothing answers, or another machine does: enough for one whose server the cloud does not have. One that only refuses our login lives. */
export const awayOrReplaced: ReadonlySet<ErrorCode> = new Set([...away, "HOST_KEY_CHANGED"]);

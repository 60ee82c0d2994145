import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, NfvError } from "../common/errors";
import type { Context, InSession } from "../contract/types";
import { lookAt } from "../kubeadm/look";
import { howToForce, noLeader } from "../kubeadm/lost-majority";
import type { MachineStatus } from "../kubeadm/machine-status";
import type { Connection } from "../ssh";
import { hungHint } from "../steps/under-way";
import { closed, connectTo, type Peer, recordHostKey } from "./machine";

/** Reads the facts of a machine. `address`: where its API server would listen. */
export async function machineStatusOf(connection: Connection, address: string): Promise<MachineStatus> {
    const facts = await lookAt(connection, address);
    recordHostKey(connection);
    return facts;
}

/**
 * Like machineStatusOf, but first waits for a reset or leave that a killed run left running there: facts read before its end
 * would be outdated.
 * @throws NODE_BUSY after the longest time that one of them may take
 */
export async function machineStatusOrNone(
    node: string,
    connection: Connection,
    address: string,
    { report, signal }: Context,
): Promise<MachineStatus> {
    for (const began = Date.now(); ; ) {
        const facts = await machineStatusOf(connection, address);
        const { underWay = [] } = facts;
        if (underWay.length === 0) return facts;
        const cause = `${underWay.join(", ")} is still going on there`;
        if (Date.now() - began >= longestSeconds * 1000) {
            throw new NfvError({ code: "NODE_BUSY", node, cause, hint: hungHint });
        }
        report(`waiting: ${cause}`);
        await sleep(1000, undefined, { signal });
    }
}

/** Longer than the deadline of each such script, in seconds. */
const longestSeconds = 1200;

export interface PeerStatus {
    name: string;
    connection: Connection;
    /** Undefined if the machine cannot be reached, because of `reason`. */
    facts?: MachineStatus;
    reason?: string;
    /** Code of the error with that reason. */
    code?: ErrorCode;
    /** It answers, and does not let us in: what to correct. */
    closed?: string;
}

/** Reads the facts of all peers in parallel. */
export function statusOfPeers(context: InSession, peers: readonly Peer[]): Promise<PeerStatus[]> {
    return Promise.all(peers.map(peer => statusOfPeer(context, peer)));
}

async function statusOfPeer(context: InSession, { name, connection: target, address }: Peer): Promise<PeerStatus> {
    const connection = connectTo(context, target);
    try {
        return { name, connection, facts: await machineStatusOf(connection, address ?? target.host) };
    } catch (error) {
        if (!(error instanceof NfvError)) return { name, connection, reason: String(error) };
        const { reason, code } = error;
        return { name, connection, reason, code, ...(closed.has(code) && { closed: howToOpen(name, error) }) };
    }
}

/** It must not be given up: it lives. */
function howToOpen(name: string, { code, hint }: NfvError): string {
    const wrong =
        code === "HOST_KEY_CHANGED" ? `${name} shows another host key` : `${name} lives, and refuses the login`;
    return `${wrong}: correct its \`ssh\` in the program and run pulumi up again. ${hint}`;
}

/**
 * A control-plane node of the cluster whose API server is ready. All are asked in parallel. `order` says which one is
 * returned: "any", the one that answers first, so that a dead one costs no time; or "first", the first in the list that
 * is ready, for work that must stay on the first control-plane node while others may be changing.
 * @throws NO_CONTROL_PLANE with the answer of each of them
 */
export async function readyControlPlaneNode(
    context: InSession,
    clusterId: string,
    peers: readonly Peer[],
    order: "any" | "first",
): Promise<PeerStatus> {
    const { asked, living } = askMembers(context, clusterId, peers);
    try {
        return order === "any" ? await Promise.any(living) : await firstOf(living);
    } catch {
        const said = (await Promise.all(asked)).map(
            ({ name, facts, reason }) => `${name}: ${reason ?? whyNot(facts!, clusterId)}`,
        );
        const cause = said.join("\n") || "there is no other control-plane node";
        const hint = hintIfLeaderless(clusterId, await Promise.all(asked));
        throw new NfvError({ code: "NO_CONTROL_PLANE", cause, ...(hint !== undefined && { hint }) });
    }
}

export interface MastersToLeaveBy {
    /** The one that answered first, so that a dead one costs no time. */
    living?: PeerStatus;
    /** If none is ready: members whose API server is not ready, and those that do not answer. */
    silent: PeerStatus[];
    unreachable: PeerStatus[];
}

/** The control-plane nodes through which a node can leave. */
export async function mastersToLeaveBy(
    context: InSession,
    clusterId: string,
    peers: readonly Peer[],
): Promise<MastersToLeaveBy> {
    const { asked, living } = askMembers(context, clusterId, peers);
    try {
        return { living: await Promise.any(living), silent: [], unreachable: [] };
    } catch {
        const all = await Promise.all(asked);
        return {
            silent: all.filter(({ facts }) => isMember(facts, clusterId)),
            unreachable: all.filter(({ facts }) => facts === undefined),
        };
    }
}

/** One line for each control-plane node that may be alive although it cannot be used. */
export function whatTheySaid({ silent, unreachable }: Pick<MastersToLeaveBy, "silent" | "unreachable">): string[] {
    return [
        ...silent.map(({ name, facts }) => `${name}: ${notReady(facts)}`),
        ...unreachable.map(({ name, reason }) => `${name}: ${reason}`),
    ];
}

/**
 * Asks all in parallel. `living`: promises that resolve for members whose API server is ready and reject for others.
 */
function askMembers(context: InSession, clusterId: string, peers: readonly Peer[]) {
    const asked = peers.map(peer => statusOfPeer(context, peer));
    const living = asked.map(async answer => {
        const peer = await answer;
        if (isReadyMember(peer, clusterId)) return peer;
        throw new Error("not living");
    });
    return { asked, living };
}

/** A control-plane node of the cluster whose API server is ready. */
export function isReadyMember({ facts }: Pick<PeerStatus, "facts">, clusterId: string): boolean {
    return isMember(facts, clusterId) && facts?.apiReady === true;
}

function isMember(facts: MachineStatus | undefined, clusterId: string): boolean {
    return facts?.memberOf === clusterId && !facts.authorityChanged;
}

/** The first promise in the list that resolves; does not wait for those after it. */
async function firstOf<T>(promises: Promise<T>[]): Promise<T> {
    const settled = promises.map(promise => promise.then(value => ({ value })).catch(() => undefined));
    for (const one of settled) {
        const result = await one;
        if (result !== undefined) return result.value;
    }
    throw new Error("none");
}

function whyNot(facts: MachineStatus, clusterId: string): string {
    if (facts.memberOf === "") return "is a member of no cluster yet";
    if (isMember(facts, clusterId)) return notReady(facts);
    return facts.authorityChanged ? "has the authority of another cluster" : `is a member of cluster ${facts.memberOf}`;
}

function notReady(facts: MachineStatus | undefined): string {
    return `its API server is not ready${facts?.withoutLeader ? `: ${noLeader}` : ""}`;
}

/** What to do where etcd has lost its majority, if one of these masters says so. */
export function hintIfLeaderless(clusterId: string, peers: readonly PeerStatus[]): string | undefined {
    const names = peers.filter(({ facts }) => facts?.withoutLeader).map(({ name }) => name);
    return names.length === 0 ? undefined : howToForce(clusterId, names);
}

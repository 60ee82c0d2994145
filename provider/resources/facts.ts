import { NfvError } from "../errors";
import { factsScript, type MachineFacts, parseFacts } from "../kubeadm/membership";
import type { Connection } from "../ssh";
import { encodeScript } from "../steps/protocol";
import { connectTo, type Peer, recordHostKey } from "./machine";

/** How the facts are asked for; a fake node knows the question by it. */
export const factsArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-facts"];

/** A peer that does not answer in this time counts as unreachable. */
const timeoutSeconds = 20;

/** What a machine says about its membership. `address`: where its API server would listen. */
export async function factsOf(connection: Connection, address: string): Promise<MachineFacts> {
    const stdin = encodeScript({ run: factsScript, env: { ADDRESS: address } });
    const { code, stdout, stderr } = await connection.exec(factsArgv, { stdin, timeoutSeconds });
    if (code !== 0) {
        throw new NfvError({ code: "STEP_FAILED", step: "look at the machine", cause: stderr || `exit code ${code}` });
    }
    recordHostKey(connection);
    return parseFacts(stdout);
}

export interface PeerFacts {
    name: string;
    connection: Connection;
    /** Undefined: not reachable, because of `reason`. */
    facts?: MachineFacts;
    reason?: string;
}

/** Asks all peers at once. */
export function factsOfPeers(peers: readonly Peer[]): Promise<PeerFacts[]> {
    return Promise.all(peers.map(factsOfPeer));
}

async function factsOfPeer({ name, connection: target, address }: Peer): Promise<PeerFacts> {
    const connection = connectTo(target);
    try {
        return { name, connection, facts: await factsOf(connection, address ?? target.host) };
    } catch (error) {
        return { name, connection, reason: error instanceof NfvError ? error.reason : String(error) };
    }
}

/**
 * A master of the cluster whose API server is ready. All are asked at once; `order` says which of the living is taken: "any", the one
 * that answers first (a dead one costs no time), or the "first" given, for what depends on the first master only while others may
 * be under way.
 * @throws NO_CONTROL_PLANE with what each of them said
 */
export async function livingMaster(
    clusterId: string,
    peers: readonly Peer[],
    order: "any" | "first",
): Promise<PeerFacts> {
    const { asked, living } = askMembers(clusterId, peers);
    try {
        return order === "any" ? await Promise.any(living) : await firstOf(living);
    } catch {
        const said = (await Promise.all(asked)).map(
            ({ name, facts, reason }) => `${name}: ${reason ?? whyNot(facts!, clusterId)}`,
        );
        const cause = said.join("\n") || "there is no other control-plane node";
        throw new NfvError({ code: "NO_CONTROL_PLANE", cause });
    }
}

export interface MastersToLeaveBy {
    /** The one that answered first: one that is dead costs no time. */
    living?: PeerFacts;
    /** Where none lives: members whose API server is not ready, and those that do not answer. */
    silent: PeerFacts[];
    unreachable: PeerFacts[];
}

/** Who can be told that a node leaves. */
export async function mastersToLeaveBy(clusterId: string, peers: readonly Peer[]): Promise<MastersToLeaveBy> {
    const { asked, living } = askMembers(clusterId, peers);
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

/** Asks all at once: `living` are those answers that come from members whose API server is ready; the others are rejections. */
function askMembers(clusterId: string, peers: readonly Peer[]) {
    const asked = peers.map(factsOfPeer);
    const living = asked.map(async answer => {
        const peer = await answer;
        if (isMember(peer.facts, clusterId) && peer.facts?.apiReady) return peer;
        throw new Error("not living");
    });
    return { asked, living };
}

function isMember(facts: MachineFacts | undefined, clusterId: string): boolean {
    return facts?.memberOf === clusterId;
}

/** The first in the list that is fulfilled; does not wait for those after it. */
async function firstOf<T>(promises: Promise<T>[]): Promise<T> {
    const settled = promises.map(promise => promise.then(value => ({ value })).catch(() => undefined));
    for (const one of settled) {
        const result = await one;
        if (result !== undefined) return result.value;
    }
    throw new Error("none");
}

function whyNot(facts: MachineFacts, clusterId: string): string {
    if (facts.memberOf === "") return "is a member of no cluster yet";
    return isMember(facts, clusterId) ? "its API server is not ready" : `is a member of cluster ${facts.memberOf}`;
}

import { NfvError } from "../errors";
import { factsScript, type MachineFacts, parseFacts } from "../kubeadm/membership";
import type { Connection } from "../ssh";
import { encodeScript } from "../steps/protocol";
import { connectTo, hostKeyOf, type Peer } from "./machine";

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
    hostKeyOf(connection);
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
    return Promise.all(
        peers.map(async ({ name, connection: target, address }) => {
            const connection = connectTo(target);
            try {
                return { name, connection, facts: await factsOf(connection, address ?? target.host) };
            } catch (error) {
                return { name, connection, reason: error instanceof NfvError ? error.reason : String(error) };
            }
        }),
    );
}

/**
 * A master of the cluster whose API server is ready: the first in the order given. The order matters: a resource of the whole
 * cluster depends on the first master only, so the others may be under way.
 * @throws NO_CONTROL_PLANE with what each of them said
 */
export async function livingMaster(clusterId: string, peers: readonly Peer[]): Promise<PeerFacts> {
    const asked = await factsOfPeers(peers);
    const living = asked.find(({ facts }) => facts?.memberOf === clusterId && facts.apiReady);
    if (living === undefined) {
        const said = asked.map(({ name, facts, reason }) => `${name}: ${reason ?? whyNot(facts!, clusterId)}`);
        throw new NfvError({
            code: "NO_CONTROL_PLANE",
            cause: said.join("\n") || "there is no other control-plane node",
        });
    }
    return living;
}

function whyNot(facts: MachineFacts, clusterId: string): string {
    if (facts.memberOf === "") return "is a member of no cluster yet";
    return facts.memberOf === clusterId ? "its API server is not ready" : `is a member of cluster ${facts.memberOf}`;
}

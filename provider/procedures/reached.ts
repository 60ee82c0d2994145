import type { Context } from "../contract/types";
import { connectTo, named, type Peer } from "../machine/machine";
import type { Connection } from "../ssh";
import { runAct } from "../steps";
import type { Act } from "../steps/types";

/** A node, and the connection to it. */
export interface Reached extends Peer {
    link: Connection;
}

export const reach = (peers: readonly Peer[], context: Context): Reached[] =>
    peers.map(peer => ({ ...peer, link: connectTo(context, peer.connection) }));

/** `peers`: JSON of Peer[]. */
export const reachPeers = (peers: string, context: Context): Reached[] => reach(JSON.parse(peers), context);

export const addressOf = ({ address, connection }: Peer) => address ?? connection.host;

/** The run of a request. */
export interface RequestRun {
    clusterId: string;
    context: Context;
}

/** `place`: "2 of 5", for progress. @returns what the act answered or printed */
export function actOn(
    { name: node, link: connection }: Reached,
    act: Act,
    { clusterId, context: { report, signal } }: RequestRun,
    place?: string,
): Promise<string> {
    const label = place === undefined ? undefined : `${act.title} (${node}, ${place})`;
    return named(node, () => runAct(act, { node, clusterId, connection, report, signal, label }));
}

import { type InProgram, runFacts } from "../contract/run-facts";
import type { CommonInputs, InSession } from "../contract/types";
import { hasUnknown, unknownValue } from "../contract/values";
import { machineKey, type Peer } from "./machine";

/** Inputs of Masters. */
export interface MastersInputs extends CommonInputs {
    clusterId: string;
    /** The program's control-plane nodes: JSON of Peer[]. Secret. */
    peers: string;
    /**
     * The machines that the state has, "core-1a2b3c4d/m1": only they can have become masters. Undefined: the state could not be read. Not stored.
     */
    recorded?: string[];
    /** At a preview: machines that exist, by name; see ProgramMachine. Secret, not stored. */
    toLookAt?: Record<string, string>;
    /** Set by check: those of all former programs that this one does not have. Inputs that check sets are not secret, so: no login. */
    formers?: Former[];
    /** Set by check in a run that is to make etcd a new cluster: what preview shows. */
    forceNewCluster?: string;
    /** Word of a restore of etcd onto new machines: all former masters are lost. */
    ontoNew?: string;
}

interface Former {
    name: string;
    address?: string;
    connection: Pick<Peer["connection"], "host" | "port" | "user" | "hostKey">;
}

/** Control-plane nodes of one cluster, as the program of this run and former ones name them. */
export interface ProgramMasters {
    wanted: readonly Peer[];
    /** Those of former programs that this one does not have, or has at another address. */
    former: readonly Peer[];
    /** A former run had this cluster, so some of its machines may be members. */
    mayLive: boolean;
}

/** Undefined: the program of this run does not have this cluster, or leaves it out by --target. */
export function programMasters(context: InSession, clusterId: string): ProgramMasters | undefined {
    const given = runFacts(context).program.ofCluster<MastersInputs>("Masters", clusterId);
    return given && mastersIn(given);
}

/** Undefined where a preview does not know them yet. Pure. */
export function mastersIn({ olds, news }: InProgram<MastersInputs>): ProgramMasters | undefined {
    const { clusterId, peers, recorded } = news;
    if (hasUnknown([clusterId, peers])) return undefined;
    // A run that was refused has stored its masters all the same: the next one must ask the same formers.
    const wanted = peersIn(peers);
    const before = [...peersIn(olds.peers), ...(olds.formers ?? []).map(former => withLogin(former, wanted[0]))];
    const isKnown = ({ name }: Peer) => !Array.isArray(recorded) || recorded.includes(`${clusterId}/${name}`);
    return { wanted, former: formersOf(before.filter(isKnown), wanted), mayLive: olds.peers !== undefined };
}

export function withoutLogin({ name, address, connection: { host, port, user, hostKey } }: Peer): Former {
    return { name, address, connection: { host, port, user, hostKey } };
}

/** By the login of a master of the program: most clusters have one for all machines. */
function withLogin({ name, address, connection }: Former, one: Peer | undefined): Peer {
    const known = Object.fromEntries(Object.entries(connection).filter(([, value]) => value !== undefined));
    return {
        name,
        connection: { ...one?.connection, ...known } as Peer["connection"],
        ...(address !== undefined && { address }),
    };
}

/** Each machine once. */
function formersOf(before: readonly Peer[], wanted: readonly Peer[]): Peer[] {
    const there = new Set(wanted.map(machineKey));
    return [
        ...new Map(before.filter(peer => !there.has(machineKey(peer))).map(peer => [machineKey(peer), peer])).values(),
    ];
}

function peersIn(text: string | undefined): Peer[] {
    return text === undefined || text === unknownValue ? [] : (JSON.parse(text) as Peer[]);
}

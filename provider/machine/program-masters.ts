import type { InSession } from "../contract/types";
import type { Peer } from "./machine";

/** Control-plane nodes of one cluster, as the program of this run and former ones name them. */
export interface ProgramMasters {
    wanted: readonly Peer[];
    /** Those of former programs that this one does not have, or has at another address. */
    former: readonly Peer[];
    /** A former run had this cluster, so some of its machines may be members. */
    mayLive: boolean;
}

class ByCluster extends Map<string, ProgramMasters> {}

/** Noted by the check of Masters, before any machine of the cluster is touched. `destroy` checks nothing. */
export function noteProgramMasters(
    context: InSession | undefined,
    clusterId: string,
    former: readonly Peer[],
    wanted: readonly Peer[],
    mayLive = false,
): void {
    context?.session.part(ByCluster).set(clusterId, { wanted, former, mayLive });
}

/** Undefined: the program of this run does not have this cluster, or leaves it out by --target. */
export function programMasters({ session }: InSession, clusterId: string): ProgramMasters | undefined {
    return session.part(ByCluster).get(clusterId);
}

/** Clusters that the program of this run has, by id. */
class Clusters extends Set<string> {}

/**
 * Noted by the check of OperationStart. If a node is replaced, OperationEnd is deleted before its own check, and made again after the node:
 * then the cluster does not end.
 */
export function noteCluster(context: InSession | undefined, clusterId: string): void {
    context?.session.part(Clusters).add(clusterId);
}

export function hasCluster({ session }: InSession, clusterId: string): boolean {
    return session.part(Clusters).has(clusterId);
}

/** Clusters whose storage server the program has in the cloud, by id. */
class WithStorage extends Set<string> {}

/** Noted by the check of OperationStart: if the server itself is replaced, what is on it goes before its own check. */
export function noteStorage(context: InSession | undefined, clusterId: string): void {
    context?.session.part(WithStorage).add(clusterId);
}

export function hasStorage({ session }: InSession, clusterId: string): boolean {
    return session.part(WithStorage).has(clusterId);
}

/** Nodes that have left their cluster in this run: "core-0a1b2c3d/m2". */
class Left extends Set<string> {}

export function noteLeft({ session }: InSession, clusterId: string, name: string): void {
    session.part(Left).add(`${clusterId}/${name}`);
}

export function hasLeft({ session }: InSession, clusterId: string, name: string): boolean {
    return session.part(Left).has(`${clusterId}/${name}`);
}

/** Clusters whose end this run has begun, by id. */
class Ending extends Set<string> {}

/** Noted by the deletion of OperationEnd, with which a destroy of a whole cluster begins. */
export function noteEnd({ session }: InSession, clusterId: string): void {
    session.part(Ending).add(clusterId);
}

/** Machines whose Host this run deletes and does not make again: "core-0a1b2c3d/m2". */
class Going extends Set<string> {}

export function noteHostDeletion({ session }: InSession, clusterId: string, name: string): void {
    session.part(Going).add(`${clusterId}/${name}`);
}

export function isHostGoing({ session }: InSession, clusterId: string, name: string): boolean {
    return session.part(Going).has(`${clusterId}/${name}`);
}

/**
 * Clusters of which this run deletes a Node, or replaces a Host, by id. When a whole cluster goes, the engine skips its Nodes (`deletedWith`), and
 * no Host is made again.
 */
class Staying extends Set<string> {}

export function noteStaying({ session }: InSession, clusterId: string): void {
    session.part(Staying).add(clusterId);
}

/** Whether the cluster itself stays, whatever else this run deletes (--target-dependents). */
export function isStaying({ session }: InSession, clusterId: string): boolean {
    return session.part(Staying).has(clusterId);
}

/** Whether this run has begun to delete the whole cluster. */
export function isEnding(context: InSession, clusterId: string): boolean {
    return context.session.part(Ending).has(clusterId) && !isStaying(context, clusterId);
}

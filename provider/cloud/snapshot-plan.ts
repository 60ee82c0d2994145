import type { Snapshot } from "../openstack/cinder";
import { clusterIdKey, runKey, snapshotKey, volumeIdKey, volumeKey } from "../openstack/requirements";

/** An entry of `storage.snapshots`. */
export interface SnapshotWish {
    /** Name of the volume in the program. */
    volume: string;
    /** Another word makes one more snapshot. */
    run: string;
    /** How many of this entry and volume stay. */
    keep: number;
}

/** What the state has of an entry: its last snapshot. */
export interface MadeSnapshot {
    /** Undefined: the entry has left the program since. */
    run?: string;
    id: string;
    name: string;
    /** As the cloud says it: one of a killed run is younger. */
    createdAt: string;
    /** A refresh found that somebody deleted it. No run makes it again under its word: it would have the data of another day. */
    gone?: true;
}

export type Made = Record<string, MadeSnapshot>;

/** An entry with all that decides about its snapshots. */
export interface Subject {
    entry: string;
    wish: SnapshotWish;
    /** Id of the volume in the cloud, as it is now. */
    volumeId: string;
    /** Of the last snapshot that a run has recorded. */
    record: MadeSnapshot | undefined;
}

/** Cinder allows 255 characters for names. */
const longestName = 255;

/** What an operator sees in the cloud's lists. Ownership is decided by the metadata. */
export function nameOf(clusterName: string, { entry, wish: { volume, run } }: Subject): string {
    return [clusterName, volume, entry, run].join("-").slice(0, longestName);
}

export function metadataOf(clusterId: string, { entry, wish, volumeId }: Subject): Record<string, string> {
    return {
        [clusterIdKey]: clusterId,
        [snapshotKey]: entry,
        [runKey]: wish.run,
        [volumeKey]: wish.volume,
        [volumeIdKey]: volumeId,
    };
}

/** Those of this cluster. Nothing else is ever adopted or deleted. An empty id would be that of none. */
export function ownSnapshots(all: readonly Snapshot[], clusterId: string): Snapshot[] {
    return clusterId === "" ? [] : all.filter(({ metadata }) => metadata?.[clusterIdKey] === clusterId);
}

/** Entries of which a snapshot is to be made, in order. `run` alone decides: another volume is saved with the next word. */
export function dueEntries(wishes: Record<string, SnapshotWish>, made: Made): string[] {
    return Object.keys(wishes)
        .filter(entry => made[entry]?.run !== wishes[entry]!.run)
        .sort();
}

/** An entry that left the program is new when it comes back, also with its former word. */
export function withoutLeft(made: Made, wishes: Record<string, SnapshotWish>): Made {
    const rows = Object.entries(made).map(([entry, { run, ...record }]): [string, MadeSnapshot] => [
        entry,
        entry in wishes && run !== undefined ? { ...record, run } : record,
    ]);
    return Object.fromEntries(rows);
}

/** Entry → id of its newest snapshot. */
export function newestIds(made: Made, wishes: Record<string, SnapshotWish>): Record<string, string> {
    const known = Object.keys(wishes).flatMap((entry): [string, string][] =>
        made[entry] === undefined || made[entry].gone ? [] : [[entry, made[entry].id]],
    );
    return Object.fromEntries(known);
}

/** The same records, with those marked that are no longer in the cloud; and the entries that lost theirs since the last look. */
export function withoutDeleted(made: Made, own: readonly Snapshot[]): { made: Made; lost: string[] } {
    const lost = Object.entries(made).flatMap(([entry, { id, gone }]) =>
        gone || own.some(each => each.id === id) ? [] : [entry],
    );
    const marked = lost.map((entry): [string, MadeSnapshot] => [entry, { ...made[entry]!, gone: true }]);
    return { made: { ...made, ...Object.fromEntries(marked) }, lost };
}

/** `wait`: it may become ready by itself. Any other status: it goes, or is gone. */
export type SnapshotFate = "ready" | "wait" | "failed" | "gone";

const fates: Record<string, SnapshotFate> = {
    available: "ready",
    "backing-up": "ready",
    restoring: "ready",
    creating: "wait",
    error: "failed",
};

export function fateOf({ status }: Pick<Snapshot, "status">): SnapshotFate {
    return fates[status] ?? "gone";
}

const newestFirst = (a: Snapshot, b: Snapshot) =>
    a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1;

/** Whether no run has recorded it: a later one than the recorded one is of a run that was killed or has failed. */
const isUnrecorded = ({ created_at }: Snapshot, { record }: Subject) =>
    record === undefined || created_at > record.createdAt;

/** What a killed run has made or begun for this very word: a second one is not made. */
export function adoptable(own: readonly Snapshot[], subject: Subject): Snapshot | undefined {
    const { entry, wish } = subject;
    const found = own
        .filter(
            each =>
                each.metadata[snapshotKey] === entry &&
                each.metadata[runKey] === wish.run &&
                each.metadata[volumeKey] === wish.volume &&
                isUnrecorded(each, subject),
        )
        .sort(newestFirst);
    return found.find(each => fateOf(each) === "ready") ?? found.find(each => fateOf(each) === "wait");
}

/** Snapshots that never came to be. One that was recorded had data, whatever its status is now. */
export function failedBefore(own: readonly Snapshot[], subject: Subject): Snapshot[] {
    return own.filter(
        each =>
            isOf(each, subject) &&
            fateOf(each) === "failed" &&
            isUnrecorded(each, subject) &&
            (subject.record !== undefined || each.metadata[runKey] === subject.wish.run),
    );
}

/**
 * The oldest ones beyond `keep`. Those of a former volume do not count and stay: after a lost volume was made again empty, they are the last good ones.
 */
export function surplus(own: readonly Snapshot[], subject: Subject, newest: string): Snapshot[] {
    const others = own.filter(each => isOf(each, subject) && each.status === "available" && each.id !== newest);
    return others.sort(newestFirst).slice(Math.max(0, subject.wish.keep - 1));
}

/** Of this entry and of the volume as it is now: by our mark, and by what the cloud says itself. */
function isOf({ metadata, volume_id }: Snapshot, { entry, volumeId }: Subject): boolean {
    return metadata[snapshotKey] === entry && metadata[volumeIdKey] === volumeId && volume_id === volumeId;
}

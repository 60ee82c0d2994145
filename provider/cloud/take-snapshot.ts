import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { type CloudClient, CloudRefused } from "../openstack";
import {
    createSnapshot,
    deleteSnapshot,
    getSnapshot,
    listSnapshots,
    messagesOf,
    type Snapshot,
} from "../openstack/cinder";
import {
    adoptable,
    failedBefore,
    fateOf,
    type MadeSnapshot,
    metadataOf,
    nameOf,
    ownSnapshots,
    type Subject,
    surplus,
} from "./snapshot-plan";

/** Some drivers copy the whole volume: a snapshot may be `creating` for so long. Tests set less. */
export const snapshotPatience = { minutes: 60, removalMinutes: 5, pauseSeconds: 3 };

/** The cluster that owns the snapshots, and where they are. */
export interface SnapshotOwner {
    clusterName: string;
    clusterId: string;
    cloud: CloudClient;
}

export async function listOwnSnapshots({ cloud, clusterId }: SnapshotOwner): Promise<Snapshot[]> {
    return ownSnapshots(await listSnapshots(cloud), clusterId);
}

/** Makes the snapshot, or goes on with that of a killed run; then deletes those beyond `keep`. @throws SNAPSHOT_FAILED */
export async function takeSnapshot(
    owner: SnapshotOwner,
    subject: Subject,
    own: readonly Snapshot[],
    context: Context,
): Promise<MadeSnapshot> {
    const { run, volume } = subject.wish;
    const adopted = adoptable(own, subject);
    if (adopted === undefined) for (const each of failedBefore(own, subject)) await remove(each, owner, context);
    const { id } = adopted ?? (await begin(owner, subject, context));
    const { name, created_at: createdAt } = await untilReady(id, owner, subject, context);
    const when =
        adopted === undefined ? "was made" : `was made at ${createdAt}, by a run that did not get as far as to note it`;
    context.note(`the snapshot "${name}" (${id}) of the volume ${volume} ${when}`);
    await deleteSurplus(id, owner, subject, context);
    return { run, id, name: name ?? id, createdAt };
}

async function begin(
    { clusterName, clusterId, cloud }: SnapshotOwner,
    subject: Subject,
    context: Context,
): Promise<Pick<Snapshot, "id">> {
    const { volumeId } = subject;
    const name = nameOf(clusterName, subject);
    context.report(`make the snapshot ${name}`);
    try {
        return await createSnapshot(cloud, { volumeId, name, metadata: metadataOf(clusterId, subject) });
    } catch (error) {
        // A cloud that does not answer, or lets no one in, has errors of its own.
        if (!(error instanceof CloudRefused) || error.code !== "CLOUD_REFUSED") throw error;
        throw failed(subject, `the cloud makes no snapshot of the volume ${volumeId}: ${error.reason}`);
    }
}

async function untilReady(id: string, { cloud }: SnapshotOwner, subject: Subject, context: Context): Promise<Snapshot> {
    const { minutes, pauseSeconds } = snapshotPatience;
    for (const end = Date.now() + minutes * 60_000; ; ) {
        const seen = await getSnapshot(cloud, id);
        if (seen === undefined) throw failed(subject, `the snapshot ${id} is not there any more: somebody deleted it`);
        const fate = fateOf(seen);
        if (fate === "ready") return seen;
        if (fate !== "wait") {
            const why = (await messagesOf(cloud, id)).map(text => `\n${text}`).join("");
            throw failed(subject, `the snapshot "${seen.name}" (${id}) is ${seen.status}${why}`);
        }
        if (Date.now() >= end) {
            throw failed(
                subject,
                `the snapshot "${seen.name}" (${id}) is ${seen.status} after ${minutes} minutes`,
                "The cloud may still finish it: pulumi up goes on with the same snapshot. Where it does not, ask the cloud's operator.",
            );
        }
        const progress = seen["os-extended-snapshot-attributes:progress"];
        context.report(`the snapshot ${seen.name} is ${seen.status}${progress ? ` (${progress})` : ""}`);
        await sleep(pauseSeconds * 1000, undefined, { signal: context.signal });
    }
}

/** One that failed counts in the quota until it is gone. If it stays, the next attempt says why there is no room. */
async function remove({ id, name }: Snapshot, { cloud }: SnapshotOwner, context: Context): Promise<void> {
    const { removalMinutes, pauseSeconds } = snapshotPatience;
    context.report(`delete the snapshot ${name}, which failed before`);
    if (!(await tryDelete({ id, name }, cloud, context))) return;
    for (const end = Date.now() + removalMinutes * 60_000; Date.now() < end; ) {
        const seen = await getSnapshot(cloud, id);
        if (seen === undefined || seen.status === "error_deleting") return;
        await sleep(pauseSeconds * 1000, undefined, { signal: context.signal });
    }
}

/** The new one is there: nothing that goes wrong here makes the run fail. */
async function deleteSurplus(id: string, owner: SnapshotOwner, subject: Subject, context: Context): Promise<void> {
    try {
        // Looked at again: while a snapshot was made, others may have come and gone.
        for (const each of surplus(await listOwnSnapshots(owner), subject, id)) {
            context.report(`delete the snapshot ${each.name}`);
            await tryDelete(each, owner.cloud, context);
        }
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`former snapshots of ${subject.entry} were not looked for, and none was deleted: ${error.reason}`);
    }
}

/** A cloud refuses it for example while a volume that was made from the snapshot depends on it. */
async function tryDelete(
    { id, name }: Pick<Snapshot, "id" | "name">,
    cloud: CloudClient,
    context: Context,
): Promise<boolean> {
    try {
        await deleteSnapshot(cloud, id);
        return true;
    } catch (error) {
        if (!(error instanceof CloudRefused)) throw error;
        context.warn(`the snapshot "${name}" (${id}) stays: ${error.reason}`);
        return false;
    }
}

function failed({ entry }: Subject, cause: string, hint?: string): NfvError {
    return new NfvError({ code: "SNAPSHOT_FAILED", node: `snapshot ${entry}`, cause, hint });
}

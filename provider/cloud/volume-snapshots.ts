import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { Context, ResourceType } from "../contract/types";
import { changed, failuresOf, hasUnknown, text } from "../contract/values";
import { cloudClient, refuseOtherProject } from "../machine/server";
import { snapshotKey } from "../openstack/requirements";
import { compared, type ProjectGuardInputs } from "./project-guard";
import {
    dueEntries,
    type Made,
    newestIds,
    type SnapshotWish,
    type Subject,
    withoutDeleted,
    withoutLeft,
} from "./snapshot-plan";
import { listOwnSnapshots, type SnapshotOwner, takeSnapshot } from "./take-snapshot";

export interface VolumeSnapshotsInputs extends ProjectGuardInputs {
    /** Marks the snapshots. */
    clusterId: string;
    /** By the name of the entry. */
    snapshots: Record<string, SnapshotWish>;
    /** Ids in the cloud, by the name of the volume. */
    volumeIds: Record<string, string>;
}

export interface VolumeSnapshotsState extends VolumeSnapshotsInputs {
    /** By entry, also of those that have left the program. */
    made: Made;
    /** Entry → id of its newest snapshot. */
    newest: Record<string, string>;
}

/**
 * Snapshots of the storage server's volumes, made where the program asks for one. Nothing waits for it, as for backups: a quota must not keep a node from
 * being healed. It deletes only what `keep` says, and nothing when it is deleted itself.
 */
export const volumeSnapshots: ResourceType<VolumeSnapshotsInputs, VolumeSnapshotsState> = {
    check: (_olds, news) => ({ inputs: news, failures: failuresOf(news, { clusterName: text, clusterId: text }) }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId"]);
        // Ids of volumes are left out: one that was made again is saved with the next word.
        const changes =
            replaces.length > 0 ||
            changed(olds, news, [...compared, "snapshots"]).length > 0 ||
            (!hasUnknown(news.snapshots) && dueEntries(news.snapshots, olds.made).length > 0);
        return { changes, replaces };
    },
    create: async (inputs, context) => {
        const id = `${inputs.clusterName}/snapshots`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    read: async (id, state, context) => ({ id, props: await looked(state, context) }),
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    delete: async (_id, state, context) => {
        if (runFacts(context).program.has(state.resourceUrn)) return;
        await refuseOtherProject({ ...state, name: state.clusterName }, context);
        await noteStaying(state, () => true, context);
    },
};

/** A snapshot that somebody deleted is no output any more. A cloud that cannot be asked has them all. */
async function looked(state: VolumeSnapshotsState, context: Context): Promise<VolumeSnapshotsState> {
    try {
        await refuseOtherProject({ ...state, name: state.clusterName }, context);
        const { made, lost } = withoutDeleted(state.made, await listOwnSnapshots(ownerOf(state, context)));
        for (const entry of lost.filter(each => each in state.snapshots)) {
            const { name, id, run } = made[entry]!;
            context.warn(
                `the snapshot "${name}" (${id}) of ${entry} is gone from the cloud. No run makes it again for the word "${run}"; another word makes a new one.`,
            );
        }
        return stateOf(state, made);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${state.clusterName}: its snapshots are not looked at: ${error.reason}`);
        return state;
    }
}

async function reconcile(
    id: string,
    inputs: VolumeSnapshotsInputs,
    olds: VolumeSnapshotsState | undefined,
    context: Context,
): Promise<VolumeSnapshotsState> {
    const { snapshots } = inputs;
    const left = Object.keys(olds?.snapshots ?? {}).filter(entry => !(entry in snapshots));
    const made = withoutLeft(olds?.made ?? {}, snapshots);
    const due = dueEntries(snapshots, made);
    if (left.length + due.length > 0) await refuseOtherProject({ ...inputs, name: inputs.clusterName }, context);
    if (olds !== undefined && left.length > 0) await noteStaying(olds, entry => left.includes(entry), context);
    if (due.length > 0) await takeAll(due, made, { id, inputs }, context);
    return stateOf(inputs, made);
}

/** All at once, so that several volumes are saved at almost one moment. `made` follows; what was made stays noted when another one fails. */
async function takeAll(
    due: readonly string[],
    made: Made,
    { id, inputs }: { id: string; inputs: VolumeSnapshotsInputs },
    context: Context,
): Promise<void> {
    const owner = ownerOf(inputs, context);
    context.report("look at the snapshots that are there");
    const own = await listOwnSnapshots(owner);
    const ends = await Promise.allSettled(
        due.map(async entry => {
            made[entry] = await takeSnapshot(owner, subjectOf(entry, inputs, made), own, context);
        }),
    );
    const failures = ends.flatMap(end => (end.status === "rejected" ? [end.reason as Error] : []));
    if (failures.length === 0) return;
    const error = togetherOf(failures);
    throw Object.assign(error, { id, properties: stateOf(inputs, made), reasons: [error.message] });
}

/** One error of all. Another kind, as after Ctrl-C, goes first. */
function togetherOf(failures: readonly Error[]): Error {
    const other = failures.find(each => !(each instanceof NfvError));
    if (other !== undefined || failures.length === 1) return other ?? failures[0]!;
    const [first, ...others] = failures as NfvError[];
    const { code, node, hint } = first!;
    const cause = [first!.reason, ...others.map(each => `${each.node ?? each.code}: ${each.reason}`)].join("\n");
    return new NfvError({ code, ...(node !== undefined && { node }), cause, hint });
}

function subjectOf(entry: string, { snapshots, volumeIds }: VolumeSnapshotsInputs, made: Made): Subject {
    const wish = snapshots[entry]!;
    return { entry, wish, volumeId: volumeIds[wish.volume]!, record: made[entry] };
}

function ownerOf({ clusterName, clusterId, cloud }: VolumeSnapshotsInputs, context: Context): SnapshotOwner {
    return { clusterName, clusterId, cloud: cloudClient(context, cloud) };
}

function stateOf(inputs: VolumeSnapshotsInputs, made: Made): VolumeSnapshotsState {
    return { ...inputs, made, newest: newestIds(made, inputs.snapshots) };
}

/** Nothing is deleted: what stays in the cloud is named, as no state knows it any more. `leaves`: of which entries. */
async function noteStaying(
    state: VolumeSnapshotsState,
    leaves: (entry: string) => boolean,
    context: Context,
): Promise<void> {
    const found = await stayingOf(state, context);
    const lines = found.filter(({ entry }) => leaves(entry)).map(({ name, id }) => `${name} (${id})`);
    if (lines.length === 0) return;
    context.note(
        `${state.clusterName}: these snapshots stay in the cloud:\n${lines.join("\n")}\nTo delete one: openstack volume snapshot delete ID.`,
    );
}

/** Of a cloud that does not answer, those that the state has: the newest of each entry. */
async function stayingOf(
    state: VolumeSnapshotsState,
    context: Context,
): Promise<{ entry: string; name: string; id: string }[]> {
    try {
        const own = await listOwnSnapshots(ownerOf(state, context));
        return own.map(({ id, name, metadata }) => ({ entry: metadata[snapshotKey] ?? "", name: name ?? id, id }));
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${state.clusterName}: not all of its snapshots are listed: ${error.reason}`);
        return Object.entries(state.made).map(([entry, { id, name }]) => ({ entry, name, id }));
    }
}

import type { KubeApi, KubeObject } from "../vim";
import { ownerOf } from "../vim/ownership";

/** Parts of the objects that say which snapshots a cluster has. */
interface VolumeSnapshot {
    metadata: { name: string; namespace: string };
    status?: { boundVolumeSnapshotContentName?: string };
}

interface VolumeSnapshotContent {
    metadata: { name: string };
    spec: { driver: string; volumeSnapshotRef: { name: string; namespace: string } };
}

/** What a cluster has of snapshots. */
export interface SnapshotsInCluster {
    snapshots: VolumeSnapshot[];
    contents: VolumeSnapshotContent[];
    classes: KubeObject[];
}

/** Those of one driver; or all, and the classes without the mark of this owner. */
export type AskedSnapshots = { driver: string } | { owner: string };

export const noSnapshots: SnapshotsInCluster = { snapshots: [], contents: [], classes: [] };

const root = "/apis/snapshot.storage.k8s.io/v1";

/** A cluster without the kinds has none. @throws API_UNREACHABLE, API_REFUSED */
export async function askSnapshots(api: KubeApi): Promise<SnapshotsInCluster> {
    const list = async <T>(plural: string) => (await api.get<{ items: T[] }>(`${root}/${plural}`))?.items ?? [];
    // Before their contents: one that gets its content meanwhile is in one of the lists.
    const snapshots = await list<VolumeSnapshot>("volumesnapshots");
    const [contents, classes] = await Promise.all([
        list<VolumeSnapshotContent>("volumesnapshotcontents"),
        list<KubeObject>("volumesnapshotclasses"),
    ]);
    return { snapshots, contents, classes };
}

/** One line each. A VolumeSnapshot that has no content yet counts for every driver: nothing says whose it will be. Pure. */
export function snapshotUsersOf(asked: AskedSnapshots, { snapshots, contents, classes }: SnapshotsInCluster): string[] {
    const isAsked = ({ spec }: VolumeSnapshotContent) => !("driver" in asked) || spec.driver === asked.driver;
    const held = contents
        .filter(isAsked)
        .map(({ metadata, spec: { volumeSnapshotRef: of } }) => [`${of.namespace}/${of.name}`, metadata.name] as const);
    const named = new Set<string>(held.map(([snapshot]) => snapshot));
    const others = snapshots
        .filter(({ status }) => !("driver" in asked) || status?.boundVolumeSnapshotContentName === undefined)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
        .filter(name => !named.has(name));
    return [
        ...held.map(([snapshot, content]) => `VolumeSnapshot ${snapshot} (VolumeSnapshotContent ${content})`),
        ...others.map(name => `VolumeSnapshot ${name}`),
        ...("owner" in asked
            ? classes
                  .filter(each => ownerOf(each) !== asked.owner)
                  .map(({ metadata }) => `VolumeSnapshotClass ${metadata.name}, which others made`)
            : []),
    ];
}

import type { CheckFailure } from "../contract/types";
import { inOrder, isOfCloud, type StorageSpec, type VolumeSpec } from "./spec";

/** A change of a volume that would cost its data, or that cannot be made → why, and what to do instead. The first row that applies. */
const rows: {
    when: (before: VolumeSpec, after: VolumeSpec, isLost: boolean) => boolean;
    why: (before: VolumeSpec, after: VolumeSpec) => string;
}[] = [
    {
        when: (before, after) => before.fileSystem !== after.fileSystem,
        why: (before, after) =>
            `fileSystem: it has ${before.fileSystem}, ${after.fileSystem} would be another one without its data. Make a volume of another name and copy the data`,
    },
    {
        when: (before, after) => (after.sizeGiB ?? 0) < (before.sizeGiB ?? 0) && after.sizeGiB !== undefined,
        why: (before, after) =>
            `sizeGiB: a volume cannot shrink from ${before.sizeGiB} to ${after.sizeGiB}. Make a smaller volume of another name and copy the data`,
    },
    {
        // Its data would be unmounted, and another volume's served at the same paths. A copy that a snapshot brings back has the same UUID: while the former
        // volume is attached, the look at the disks refuses it.
        when: (before, after, isLost) =>
            isOfCloud(before.disk) &&
            isOfCloud(after.disk) &&
            before.disk !== after.disk &&
            after.snapshotId === undefined &&
            !isLost,
        why: (before, after) =>
            `volumeId: the volume is ${before.disk}, and would be ${after.disk}. Give another volume another name. If the former one is lost, recreate with its name makes an empty one`,
    },
    {
        when: (before, after) => before.owner !== after.owner,
        why: before => `owner: the volume carries the mark of ${before.owner}. Leave it as it is`,
    },
];

/** Changes that are refused at preview. Pure. */
export function refusedChanges(before: StorageSpec, after: StorageSpec): CheckFailure[] {
    // Another owner is another server: its volumes are made or taken over, not changed.
    if (before.clusterId !== after.clusterId) return [];
    return inOrder(after.volumes).flatMap(([name, wanted]) => {
        const former = before.volumes[name];
        const row = former && rows.find(({ when }) => when(former, wanted, after.recreate.includes(name)));
        return row === undefined ? [] : [{ property: "", reason: `volumes.${name}.${row.why(former!, wanted)}` }];
    });
}

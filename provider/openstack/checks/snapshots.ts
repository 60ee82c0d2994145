import type { Snapshot } from "../cinder";
import { type Problem, type Reference, type VolumeNeed, volumeKey } from "../requirements";
import { allVolumes, type Check, isOursByName, known } from "./situation";

/** How many snapshots an error names. */
const shown = 12;

/** A volume that is there keeps what it was made from: its snapshot may be gone. */
export const snapshotsFit: Check = situation => {
    const { needs, facts } = situation;
    if (facts.snapshots === undefined) return [];
    return allVolumes(needs)
        .filter(({ volume }) => !facts.volumes?.some(each => isOursByName(situation, each, volume.name)))
        .flatMap(({ volume }) => (known(volume.snapshot) ? problemsOf(volume, volume.snapshot, facts.snapshots!) : []));
};

function problemsOf(volume: VolumeNeed, { name: id, path }: Reference, all: readonly Snapshot[]): Problem[] {
    const found = all.find(each => each.id === id);
    if (found === undefined) {
        const message = `there is no snapshot ${id} in this project`;
        return [{ id: "snapshot-unknown", path, message, hint: suggestions(volume, all) }];
    }
    if (found.status !== "available") {
        const message = `the snapshot "${found.name}" (${id}) is ${found.status}, so no volume can be made from it`;
        return [{ id: "snapshot-unusable", path, message, hint: "Wait until it is available, or give another one." }];
    }
    if (known(volume.sizeGiB) && volume.sizeGiB < found.size) {
        const message = `the volume is to have ${volume.sizeGiB} GiB, and that of the snapshot "${found.name}" has ${found.size}`;
        const hint = `Give sizeGiB: ${found.size} or more; the file system grows with it.`;
        return [{ id: "snapshot-too-large", path: `${volume.path}.sizeGiB`, message, hint }];
    }
    return [];
}

/** Those that a cluster has made of a volume of this name, if there are any. The newest first. */
function suggestions({ path }: VolumeNeed, all: readonly Snapshot[]): string {
    const key = path.slice(path.lastIndexOf(".") + 1);
    const usable = all.filter(({ status }) => status === "available");
    const ofVolume = usable.filter(({ metadata }) => metadata?.[volumeKey] === key);
    const fitting = [...(ofVolume.length > 0 ? ofVolume : usable)].sort((a, b) =>
        a.created_at < b.created_at ? 1 : -1,
    );
    if (fitting.length === 0) return "The project has none that is available.";
    const named = fitting.slice(0, shown).map(({ id, name, created_at }) => `"${name}" of ${created_at}: ${id}`);
    const more = fitting.length > shown ? ` and ${fitting.length - shown} more` : "";
    return `There is ${named.join(", ")}${more}.`;
}

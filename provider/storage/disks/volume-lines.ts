import { inOrder, ownerOf, type StorageSpec } from "../spec";
import { volumeIdentity } from "./volume-identity";

/** The volumes as scripts read them, one a line: NAME DISK FILESYSTEM UUID LABEL. */
export function volumeLines(spec: Pick<StorageSpec, "clusterId" | "volumes">): string {
    return inOrder(spec.volumes)
        .map(([name, volume]) => {
            const { uuid, label } = volumeIdentity(ownerOf(spec, volume), name);
            return [name, volume.disk, volume.fileSystem, uuid, label].join(" ");
        })
        .join("\n");
}

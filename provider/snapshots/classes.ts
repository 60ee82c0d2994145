import type { KubeObject } from "../vim";
import { snapshotGroup } from "./definitions";

/** What a snapshot class promises to its snapshots. */
export interface SnapshotClassSpec {
    driver: string;
    /** What happens to the data when its VolumeSnapshot is deleted: Delete, Retain. */
    deletionPolicy: string;
    /** Used for snapshots of the driver's claims that name no class. */
    isDefault: boolean;
    /** The driver's own. */
    parameters?: Record<string, string>;
}

export function volumeSnapshotClass(name: string, spec: SnapshotClassSpec): KubeObject {
    const { driver, deletionPolicy, isDefault, parameters } = spec;
    return {
        apiVersion: `${snapshotGroup}/v1`,
        kind: "VolumeSnapshotClass",
        metadata: { name, annotations: { "snapshot.storage.kubernetes.io/is-default-class": String(isDefault) } },
        driver,
        deletionPolicy,
        ...(parameters && { parameters }),
    };
}

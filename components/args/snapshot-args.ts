/** What users write about snapshots of claims. Part of the schema like args.ts. */

/**
 * A class of snapshots. A snapshot keeps what its class said when the snapshot was made.
 * @change step: snapshots keep what their class said when they were made
 */
export interface SnapshotClassArgs {
    /**
     * What happens to the data of a VolumeSnapshot that is deleted: `Delete` deletes it; `Retain` keeps it and its VolumeSnapshotContent.
     * @default "Delete"
     * @format choice
     */
    deletionPolicy?: string;
    /**
     * Snapshots of the driver's claims that name no class use this one.
     * @default false
     */
    isDefault?: boolean;
}

/** The kinds of snapshots (snapshot.storage.k8s.io) and their controller, which a cluster has once: installed with the first snapshot class. */
export interface SnapshotControllerArgs {
    /**
     * `false` installs neither the kinds of snapshots nor their controller: the snapshot classes use those that the cluster has from somebody else.
     * @default true
     * @change step: the kinds of snapshots and their controller are installed or removed; refused while there are snapshots
     */
    enabled?: boolean;
    /**
     * Registry and path that replace registry.k8s.io in the controller's image.
     * @default "registry.k8s.io"
     * @change step: the controller's pod is replaced
     * @format repository
     */
    imageRepository?: string;
}

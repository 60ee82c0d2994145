import type * as pulumi from "@pulumi/pulumi";
import type { Vim } from "../vim/vim";
import type { SnapshotClassArgs, SnapshotControllerArgs } from "./snapshot-args";
import type { NfsCsiArgs, NfsStorageClassArgs } from "./storage-args";

/** Storage classes of a cluster over the exports of an NFS server: each claim of one gets a folder of an export. */
export interface StorageClassesArgs {
    /**
     * The cluster. Its credentials must be an administrator's: the driver gets rights of its own.
     * @change again: if it is another cluster, the classes and the driver are made there, and removed here
     */
    vim: Vim;
    /**
     * Address of the NFS server: the output `address` of a StorageServer. The nodes must be among its clients.
     * @change again: the classes; volumes stay on the previous server
     * @format host
     */
    server: pulumi.Input<string>;
    /**
     * Storage classes by name.
     * @change step: refused for a class that is removed and used, unless `force` names it
     * @keys dnsSubdomain
     */
    classes: Record<string, NfsStorageClassArgs>;
    /** The NFS CSI driver, which makes the folders. A cluster has one: a second StorageClasses needs `enabled: false`. */
    nfsCsi?: NfsCsiArgs;
    /**
     * Classes of snapshots of these claims, by name; with the first one the driver makes snapshots. With `nfsCsi.enabled: false` the driver must make them
     * already.
     * @change step: with the first one the driver's controller starts again, to make snapshots; without the last one it makes none: refused while there are
     * snapshots
     * @keys dnsSubdomain
     */
    snapshotClasses?: Record<string, SnapshotClassArgs>;
    /**
     * The kinds of snapshots (VolumeSnapshot and others) and their controller. A cluster has them once, for all drivers: a second StorageClasses with snapshot
     * classes needs `enabled: false`.
     */
    snapshotController?: SnapshotControllerArgs;
    /**
     * How long the driver may take until it runs, in seconds.
     * @default 300
     * @change nothing
     */
    timeoutSeconds?: number;
    /** Names of storage classes that may go although claims or pods use them. @change nothing */
    force?: string[];
}

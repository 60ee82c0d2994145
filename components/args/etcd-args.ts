import type * as pulumi from "@pulumi/pulumi";
import type { BackupKeepArgs, BackupRepositoryArgs } from "./backup-args";

/** What users write about snapshots of etcd; part of the schema like args.ts. */

/**
 * Snapshots of etcd: all objects of the cluster, encrypted by restic. The control-plane nodes make them; of a scheduled one only the node with etcd's
 * leader. The keys of the cluster are not among them: they are in Pulumi's state. See docs/backup.md.
 */
export interface EtcdBackupArgs {
    /**
     * Where they are kept. A `folder` must be the same one on all control-plane nodes, such as a mount of one server.
     * @change step: a snapshot is made there at once, in a new repository where there is none; the previous one keeps its snapshots. An existing one with
     * another password is refused
     */
    repository: BackupRepositoryArgs;
    /**
     * restic encrypts all that it stores with it. Without it a snapshot cannot be read: keep it outside of this cluster, too.
     * @change step: the repository is opened. An existing one with another password is refused
     * @secret
     */
    password: pulumi.Input<string>;
    /**
     * When one is made, as systemd writes it: `"hourly"`, `"*-*-* 02:30"`, in the nodes' time zone. One that was missed because a node was off is made when it
     * is back.
     * @default never by itself: the first `up` makes one, and `run`
     * @change step: the timers of all control-plane nodes; `program` stands in the snapshots from now on
     * @format schedule
     */
    schedule?: string;
    /**
     * What stays after each snapshot.
     * @default { daily: 7, weekly: 4, monthly: 6 }
     * @change step: from the next snapshot on
     */
    keep?: BackupKeepArgs;
    /**
     * A snapshot now: each new text makes one more, such as `"before-1.35"`. The run fails if it fails.
     * @change step: one more snapshot
     * @format word
     */
    run?: string;
    /**
     * Commit or tag of this program, noted with each snapshot: `"v12"`.
     * @change step: the timers of all control-plane nodes; `program` stands in the snapshots from now on
     * @format word
     */
    program?: string;
}

/**
 * A snapshot of etcd comes back. All objects become those of the snapshot; what was made since is lost. See docs/backup.md.
 * @change nothing: used with the next word of `run`
 */
export interface EtcdRestoreArgs {
    /**
     * A word of letters, digits, dots, `-` and `_`. Another word than all before restores once; the same word restores nothing again.
     * @change rolling: not one after another: etcd and the API server stop on all control-plane nodes, and all objects become those of the snapshot. See
     * docs/backup.md#restore. Taken away: nothing
     * @format word
     */
    run: string;
    /**
     * Id of a snapshot of this cluster, or `latest`.
     * @default "latest"
     * @format snapshotId
     */
    snapshot?: string;
    /**
     * Where it comes back: `sameMachines`, the control-plane nodes that have the cluster; or `newMachines`, where all of these are lost and other or reinstalled
     * machines are in their place, under the same names. The first one begins the cluster with the snapshot, the others join it.
     * @default "sameMachines"
     * @format choice
     */
    onto?: string;
}

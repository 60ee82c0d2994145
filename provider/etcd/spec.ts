import type { BackupSpec } from "../storage/spec";

/** Snapshots of etcd: where they are kept, and when they are made. */
export interface EtcdBackup extends Pick<BackupSpec, "repository" | "password" | "keep" | "schedule" | "run"> {
    /** Commit or tag of the program, noted with each snapshot. */
    program?: string;
}

/** What one control-plane node needs to make snapshots. */
export interface EtcdBackupSpec {
    clusterId: string;
    /** Name of the node. */
    name: string;
    /** Secret: passwords and keys. */
    backup: EtcdBackup;
    /** Place among the control-plane nodes, from 0. The first one makes what the program asks for; the others follow if a scheduled snapshot is missing. */
    turn: number;
}

/** Of a restore onto new machines. */
export interface OntoNewSpec {
    /** Of the keys that the machines will have: see identityOfKeys. */
    identity: string;
    /** The version of Kubernetes that they will have. */
    kubernetesVersion: string;
}

/** What a control-plane node says of the last snapshot that it made. */
export interface LastSnapshot {
    /** ISO 8601. */
    time: string;
    /** Id in restic's repository. */
    id: string;
    /** etcd's revision. */
    revision: string;
}

import { kubeadmScript } from "../kubeadm/kubeadm-script";
import { configFolder } from "../kubeadm/paths";
import { programFolder, stateFolder } from "../shell/folders";
import { readScript } from "../shell/script-file";
import { backupConstants } from "../storage/paths";
import { volumesFolder } from "../storage/spec";

/** Name of the backup of etcd: in its settings, in its notes, and as tag of its snapshots. */
export const backupName = "etcd";

/** Our files of etcd's snapshots on a control-plane node, as constants of the scripts. restic.sh has the first five, too. */
export const etcdConstants = {
    BACKUPS_FOLDER: "/etc/pulumi-nfv/backups",
    /** etcd.done: time, id and revision of the last snapshot; etcd.failed: why the last one failed; etcd.run: the last one that was asked for. */
    BACKUP_NOTES: `${stateFolder}/etcd-snapshots`,
    BACKUP_CACHE: backupConstants.BACKUP_CACHE,
    /** A control-plane node has no volumes of a storage server. */
    VOLUMES_FOLDER: volumesFolder,
    UNITS_FOLDER: backupConstants.UNITS_FOLDER,
    TIMER_STAMPS: backupConstants.TIMER_STAMPS,
    SNAPSHOT_PROGRAM: `${programFolder}/etcd-snapshot`,
    /** Another one than other scripts have: a timer may come at any moment. */
    ETCD_IMAGE_FOLDER: "/run/pulumi-nfv-etcd-snapshot",
    /** The manifests of the static pods while etcd's data is exchanged. */
    RESTORE_ASIDE: `${configFolder}/restore-aside`,
    /** As in other scripts, but in that folder. */
    ETCD_ASIDE: `${configFolder}/restore-aside/manifests/etcd.yaml`,
    /** So long a node waits for the snapshot of the one before it, in seconds. */
    TURN_SECONDS: 300,
};

/** The text of a script file of this folder. */
export function etcdScript(path: string): string {
    const declared = readScript(path).constants;
    return kubeadmScript(
        path,
        Object.fromEntries(Object.entries(etcdConstants).filter(([name]) => declared.includes(name))),
    );
}

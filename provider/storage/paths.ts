import { programFolder, stateFolder } from "../shell/folders";
import { volumesFolder } from "./spec";

/** Our files on a storage server, as constants of its scripts. */
export const storageConstants = {
    /** One file per volume whose mkfs has begun and whose mark is not written yet. */
    FORMATTING_FOLDER: `${stateFolder}/formatting`,
    /** One file per volume that was made or taken over here, with its UUID: if its disk is empty later, the volume is lost. */
    MADE_FOLDER: `${stateFolder}/volumes`,
    VOLUMES_FOLDER: volumesFolder,
};

/** Of scripts that unmount what is served. */
export const servedConstants = {
    VOLUMES_FOLDER: volumesFolder,
    /** Our script has stopped the NFS server, and not started it yet. A reboot starts it. */
    STOPPED_FILE: "/run/pulumi-nfv-nfs-server-stopped",
    /** As in `backupConstants`: which exports a backup is saving. */
    BACKUP_NOTES: `${stateFolder}/backups`,
};

export const exportConstants = {
    EXPORTS_FILE: "/etc/exports.d/pulumi-nfv.exports",
    /** The exports as the program gives them: the file of exports is made of it and of the registered clients. */
    WANTED_EXPORTS: "/etc/pulumi-nfv/storage/exports",
    /** One file per StorageClient, and one per client that was announced before its StorageClient came. */
    CLIENTS_FOLDER: "/etc/pulumi-nfv/storage/clients",
};

export const settingsFile = "/etc/nfs.conf.d/pulumi-nfv.conf";

/** Of the scripts that call restic. */
export const backupConstants = {
    /** A folder for each backup, with what restic needs to know. Deleted when the machine is given back. */
    BACKUPS_FOLDER: "/etc/pulumi-nfv/storage/backups",
    /** NAME.failed: why the last one failed; NAME.done: when the last one ended, and its snapshot; NAME.run: the last one that was asked for; NAME.saving: the exports of the last one; NAME.incomplete: the snapshot, or the tag of its run, that is not known to be whole. */
    BACKUP_NOTES: servedConstants.BACKUP_NOTES,
    BACKUP_PROGRAM: `${programFolder}/backup`,
    BACKUP_CACHE: "/var/cache/pulumi-nfv",
    UNITS_FOLDER: "/etc/systemd/system",
    /** systemd's notes: when a timer ran last. */
    TIMER_STAMPS: "/var/lib/systemd/timers",
};

import type { HostSpec } from "../model";
import { waitForCloudInit } from "../node/wait-for-cloud-init";
import type { StepFactory } from "../steps/types";
import { announceExports } from "../storage/announce-exports";
import { checkSchedules } from "../storage/backup/check-schedules";
import { configureBackups } from "../storage/backup/configure-backups";
import { restoreFolders } from "../storage/backup/restore-folders";
import { startBackups } from "../storage/backup/start-backups";
import { configureProxy } from "../storage/configure-proxy";
import { installServer } from "../storage/install-server";
import { makeFolders } from "../storage/make-folders";
import { configureNfs } from "../storage/nfs-settings";
import { prepareVolumes } from "../storage/prepare-volumes";
import { removeUnused } from "../storage/remove-unused";
import { serveExports } from "../storage/serve-exports";
import type { BackupsSpec, StorageSpec } from "../storage/spec";

/** The steps that make a machine a storage server, in order. */
export const storageSteps: StepFactory<StorageSpec>[] = [
    () => waitForCloudInit({} as HostSpec),
    configureProxy, // before the first download
    configureNfs, // both before the server starts for the first time
    announceExports,
    installServer,
    prepareVolumes,
    checkSchedules, // before a timer is written
    configureBackups, // a restore reads it
    restoreFolders,
    makeFolders,
    serveExports,
    removeUnused,
];

/** What a resource of its own does at last: without a repository that answers, everything else is there. */
export const storageBackupSteps: StepFactory<BackupsSpec>[] = [startBackups];

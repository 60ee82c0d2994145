import { waitForCloudInit } from "../node/wait-for-cloud-init";
import type { KnownStep } from "../steps/types";
import { announceExports } from "./announce-exports";
import { checkSchedules } from "./backup/check-schedules";
import { configureBackups } from "./backup/configure-backups";
import { restoreFolders } from "./backup/restore-folders";
import { startBackups } from "./backup/start-backups";
import { configureProxy } from "./configure-proxy";
import { prepareVolumes } from "./disks/prepare-volumes";
import { installServer } from "./install-server";
import { makeFolders } from "./make-folders";
import { configureNfs } from "./nfs-settings";
import { removeUnused } from "./remove-unused";
import { serveExports } from "./serve-exports";
import type { BackupsSpec, StorageSpec } from "./spec";

/** The steps that make a machine a storage server, in order. */
export const storageSteps: KnownStep<StorageSpec>[] = [
    waitForCloudInit,
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
export const storageBackupSteps: KnownStep<BackupsSpec>[] = [startBackups];

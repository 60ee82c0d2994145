import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import { backupConstants } from "../paths";
import { type StorageSpec, volumesFolder } from "../spec";
import { backupFiles, scheduleLines } from "./backup-files";

/** Program, service and settings of the backups. A restore reads them, so it comes before the folders are made. */
export const configureBackups = step<StorageSpec>({ id: "storage.backups", title: "configure the backups" })(spec => ({
    revision: 1,
    files: backupFiles(spec),
    env: { BACKUPS: scheduleLines(spec) },
    run: script("storage/backup/configure-backups.sh", { ...backupConstants, VOLUMES_FOLDER: volumesFolder }),
    observe: { unseen: "its files are compared anyway, and without backups it leaves nothing" },
    timeoutSeconds: 60,
}));

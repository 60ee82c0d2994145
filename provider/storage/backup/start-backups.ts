import { errorsFor } from "../../shell/exit-codes";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import { backupConstants } from "../paths";
import { type BackupsSpec, volumesFolder } from "../spec";
import { backupLines, settingsFiles } from "./backup-files";

const { BACKUPS_FOLDER, BACKUP_NOTES, BACKUP_CACHE } = backupConstants;

/** A repository is opened here, so that a wrong password is an error of this run, and not of the first night. */
export const startBackups = step<BackupsSpec>({ id: "storage.backup", title: "start the backups" })(spec => {
    const lines = backupLines(spec);
    return {
        revision: 1,
        env: { BACKUPS: lines },
        run: script("storage/backup/start-backups.sh", {
            ...{ BACKUPS_FOLDER, BACKUP_NOTES, BACKUP_CACHE, VOLUMES_FOLDER: volumesFolder },
        }),
        observe: { script: script("storage/backup/observe-backups.sh", { BACKUP_NOTES }) },
        timeoutSeconds: 86_400,
        errors: errorsFor("BACKUP_FAILED"),
        // another password or another place is opened, too
        declaredState: { lines, settings: settingsFiles(spec).map(({ path, content }) => [path, content]) },
    };
});

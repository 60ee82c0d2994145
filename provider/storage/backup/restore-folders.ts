import { errorsFor } from "../../shell/exit-codes";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import { backupConstants } from "../paths";
import { inOrder, type StorageSpec, volumesFolder } from "../spec";

const { BACKUPS_FOLDER, BACKUP_CACHE, BACKUP_NOTES } = backupConstants;

/** Before the folders are made and served: an export can be of a folder that comes back in the same run. */
export const restoreFolders = step<StorageSpec>({ id: "storage.restore", title: "restore folders from backups" })(
    ({ restores = {}, clusterId }) => {
        const lines = inOrder(restores).map(([name, { backup, snapshot, path, volume, folder, owner }]) =>
            [name, backup, snapshot, path, volume, folder, owner || clusterId].join(" "),
        );
        if (lines.length === 0) return undefined;
        return {
            revision: 1,
            env: { RESTORES: lines.join("\n") },
            run: script("storage/backup/restore-folders.sh", {
                ...{ BACKUPS_FOLDER, BACKUP_CACHE, BACKUP_NOTES, VOLUMES_FOLDER: volumesFolder },
            }),
            observe: { unseen: "what was restored belongs to its users from then on" },
            timeoutSeconds: 86_400,
            errors: errorsFor("RESTORE_FAILED", "BACKUP_FAILED"),
        };
    },
);

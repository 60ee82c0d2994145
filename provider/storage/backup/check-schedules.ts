import { errorsFor } from "../../shell/exit-codes";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import type { StorageSpec } from "../spec";
import { scheduleLines } from "./backup-files";

/** A step of its own: files are written before their step's script runs, so that one would come too late for a timer that works. */
export const checkSchedules = step<StorageSpec>({ id: "storage.schedules", title: "check the schedules of backups" })(
    spec => {
        if (!Object.values(spec.backups ?? {}).some(({ schedule }) => schedule !== undefined)) return undefined;
        return {
            revision: 1,
            env: { BACKUPS: scheduleLines(spec) },
            run: script("storage/backup/check-schedules.sh"),
            observe: { unseen: "it leaves nothing" },
            timeoutSeconds: 60,
            errors: errorsFor("BACKUP_FAILED"),
        };
    },
);

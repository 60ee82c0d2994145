import type { StepFactory } from "../steps/types";
import { settingsFiles } from "./snapshot-files";
import { installRestic } from "./snapshot-steps";
import type { EtcdBackupSpec } from "./spec";

/** What a restore reads the repository with. The snapshots of the node have the same files; these come last, and may not be there yet. */
const placeSettings: StepFactory<EtcdBackupSpec> = spec => ({
    id: "node.restore-settings",
    title: "place the settings of restic",
    revision: 1,
    files: settingsFiles(spec),
    timeoutSeconds: 60,
});

export const etcdRestoreSteps: StepFactory<EtcdBackupSpec>[] = [installRestic, placeSettings];

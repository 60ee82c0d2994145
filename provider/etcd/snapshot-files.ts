import type { StepFile } from "../steps/types";
import { resticFiles } from "../storage/backup/backup-files";
import { serviceOf, timerOf } from "../storage/backup/backup-units";
import { backupName, etcdConstants, etcdScript } from "./paths";
import type { EtcdBackupSpec } from "./spec";

const { BACKUPS_FOLDER, SNAPSHOT_PROGRAM, UNITS_FOLDER } = etcdConstants;

/** What a control-plane node has of the snapshots: the program, its service and timer, and what restic needs to know. */
export function snapshotFiles(spec: EtcdBackupSpec): StepFile[] {
    const { schedule } = spec.backup;
    return [
        { path: SNAPSHOT_PROGRAM, content: `#!/bin/sh\n${etcdScript("etcd/snapshot.sh")}`, mode: 0o755 },
        {
            path: `${UNITS_FOLDER}/pulumi-nfv-etcd-snapshot.service`,
            content: serviceOf("Snapshot of etcd", `${SNAPSHOT_PROGRAM} scheduled`),
        },
        ...(schedule === undefined
            ? []
            : [
                  {
                      path: `${UNITS_FOLDER}/pulumi-nfv-etcd-snapshot.timer`,
                      content: timerOf("When a snapshot of etcd is made", schedule),
                  },
              ]),
        ...settingsFiles(spec),
    ];
}

/** Only root may read them. */
export function settingsFiles({ clusterId, backup, turn }: Omit<EtcdBackupSpec, "name">): StepFile[] {
    const own = { turn: String(turn), program: backup.program ?? "" };
    return resticFiles(`${BACKUPS_FOLDER}/${backupName}`, { owner: clusterId, exports: [], ...backup }, own);
}

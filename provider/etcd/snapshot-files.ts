import type { StepFile } from "../steps/types";
import { resticFiles } from "../storage/backup/backup-files";
import { backupName, etcdConstants, etcdScript } from "./paths";
import type { EtcdBackupSpec } from "./spec";

const { BACKUPS_FOLDER, SNAPSHOT_PROGRAM, UNITS_FOLDER } = etcdConstants;

const service = `# written by pulumi-nfv
[Unit]
Description=Snapshot of etcd
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart=${SNAPSHOT_PROGRAM} scheduled
Nice=10
IOSchedulingClass=idle
`;

/** A run that was missed, because the machine was off, is made up for. */
function timerOf(schedule: string): string {
    return `# written by pulumi-nfv
[Unit]
Description=When a snapshot of etcd is made

[Timer]
OnCalendar=${schedule}
Persistent=true

[Install]
WantedBy=timers.target
`;
}

/** What a control-plane node has of the snapshots: the program, its service and timer, and what restic needs to know. */
export function snapshotFiles(spec: EtcdBackupSpec): StepFile[] {
    const { schedule } = spec.backup;
    return [
        { path: SNAPSHOT_PROGRAM, content: `#!/bin/sh\n${etcdScript("etcd/snapshot.sh")}`, mode: 0o755 },
        { path: `${UNITS_FOLDER}/pulumi-nfv-etcd-snapshot.service`, content: service },
        ...(schedule === undefined
            ? []
            : [{ path: `${UNITS_FOLDER}/pulumi-nfv-etcd-snapshot.timer`, content: timerOf(schedule) }]),
        ...settingsFiles(spec),
    ];
}

/** Only root may read them. */
export function settingsFiles({ clusterId, backup, turn }: Omit<EtcdBackupSpec, "name">): StepFile[] {
    const own = { turn: String(turn), program: backup.program ?? "" };
    return resticFiles(`${BACKUPS_FOLDER}/${backupName}`, { owner: clusterId, exports: [], ...backup }, own);
}

import { script } from "../../shell/script-file";
import type { StepFile } from "../../steps/types";
import { backupConstants } from "../paths";
import {
    type BackupRepository,
    type BackupSpec,
    type BackupsSpec,
    inOrder,
    keepPeriods,
    type StorageSpec,
    volumesFolder,
} from "../spec";
import { serviceOf, timerOf } from "./backup-units";

const { BACKUPS_FOLDER, BACKUP_NOTES, BACKUP_CACHE, BACKUP_PROGRAM, UNITS_FOLDER } = backupConstants;

/** What the machine has of its backups: the program, its service, the timers, and for each backup what restic needs to know. */
export function backupFiles(spec: StorageSpec): StepFile[] {
    const all = inOrder(spec.backups ?? {});
    if (all.length === 0) return [];
    const constants = { BACKUPS_FOLDER, BACKUP_NOTES, BACKUP_CACHE, VOLUMES_FOLDER: volumesFolder };
    const program = `#!/bin/sh\n${script("storage/backup/backup.sh", constants)}`;
    return [
        { path: BACKUP_PROGRAM, content: program, mode: 0o755 },
        {
            path: `${UNITS_FOLDER}/pulumi-nfv-backup@.service`,
            content: serviceOf("Backup %i of the exported folders", `${BACKUP_PROGRAM} %i`),
        },
        ...all.flatMap(([name, { schedule }]) =>
            schedule === undefined
                ? []
                : {
                      path: `${UNITS_FOLDER}/pulumi-nfv-backup@${name}.timer`,
                      content: timerOf(`When the backup ${name} is made`, schedule),
                  },
        ),
        ...settingsFiles(spec),
    ];
}

/** What restic needs to know. */
export function settingsFiles({ backups = {}, clusterId }: Omit<BackupsSpec, "name">): StepFile[] {
    return inOrder(backups).flatMap(([name, backup]) =>
        resticFiles(`${BACKUPS_FOLDER}/${name}`, { ...backup, owner: clusterId }),
    );
}

export interface ResticSettings extends Pick<BackupSpec, "exports" | "repository" | "password" | "keep"> {
    /** Whose snapshots they are. */
    owner: string;
}

/** The settings of one backup, as lib/restic.sh reads them, and `own` ones. Only root may read them. An empty file: the value does not exist. Each backup has all of them, so that none of a former repository stays. */
export function resticFiles(place: string, given: ResticSettings, own: Record<string, string> = {}): StepFile[] {
    return Object.entries({ ...settingsOf(given, place), ...own }).map(([file, content]) => ({
        path: `${place}/${file}`,
        content: content === "" ? "" : `${content}\n`,
        mode: 0o600,
        secret: true,
    }));
}

function settingsOf(
    { exports, repository, password, keep, owner }: ResticSettings,
    place: string,
): Record<string, string> {
    const { folder = "", sftp, s3 } = repository;
    return {
        repository: addressOf(repository),
        password,
        owner,
        paths: [...exports].sort().join("\n"),
        keep: keepPeriods.flatMap(each => (keep[each] === undefined ? [] : [`--keep-${each} ${keep[each]}`])).join(" "),
        folder,
        "sftp-command": sftp === undefined ? "" : sftpCommand(sftp, place),
        "sftp-key": sftp?.privateKey.trimEnd() ?? "",
        known_hosts: sftp === undefined ? "" : `${sftpPlace(sftp)} ${sftp.hostKey}`,
        "access-key": s3?.accessKey ?? "",
        "secret-key": s3?.secretKey ?? "",
        region: s3?.region ?? "",
        "ca.crt": s3?.caCertificate?.trimEnd() ?? "",
    };
}

/** As restic writes it. */
function addressOf({ folder, sftp, s3 }: BackupRepository): string {
    // with colons in the host, restic would take a part of it for the beginning of the path; the second form needs // before a path from /
    if (sftp?.host.includes(":")) return `sftp://${sftp.user}@[${sftp.host}]:${sftp.port}/${sftp.folder}`;
    if (sftp !== undefined) return `sftp:${sftp.user}@${sftp.host}:${sftp.folder}`;
    return s3 === undefined ? folder! : `s3:${s3.url}`;
}

type Sftp = NonNullable<BackupRepository["sftp"]>;

/** As OpenSSH looks it up. */
function sftpPlace({ host, port }: Sftp): string {
    return port === 22 ? host : `[${host}]:${port}`;
}

/** Nothing of root's own settings of ssh, and no question: only this key, and only this host key. */
function sftpCommand({ host, port, user }: Sftp, folder: string): string {
    const options = [
        `UserKnownHostsFile=${folder}/known_hosts`,
        ...["GlobalKnownHostsFile=/dev/null", "StrictHostKeyChecking=yes", "IdentitiesOnly=yes", "BatchMode=yes"],
        ...["ServerAliveInterval=15", "ServerAliveCountMax=4", "ConnectTimeout=30"],
    ];
    const given = options.map(option => `-o ${option}`).join(" ");
    return `ssh -F none -i ${folder}/sftp-key ${given} -p ${port} -l ${user} ${host} -s sftp`;
}

/** As configure-backups.sh reads them, one a line: NAME SCHEDULE. Without `run`: another value of that changes no settings. */
export function scheduleLines({ backups = {} }: StorageSpec): string {
    return inOrder(backups)
        .map(([name, { schedule = "-" }]) => `${name} ${schedule}`)
        .join("\n");
}

/** As start-backups.sh reads them, one a line: NAME RUN SCHEDULE. */
export function backupLines({ backups = {} }: Pick<StorageSpec, "backups">): string {
    return inOrder(backups)
        .map(([name, { run = "-", schedule = "-" }]) => `${name} ${run} ${schedule}`)
        .join("\n");
}

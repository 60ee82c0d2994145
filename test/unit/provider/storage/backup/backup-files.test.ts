import assert from "node:assert/strict";
import {
    backupFiles,
    backupLines,
    scheduleLines,
    settingsFiles,
} from "../../../../../provider/storage/backup/backup-files";
import { backupConstants } from "../../../../../provider/storage/paths";
import type { BackupRepository, BackupSpec } from "../../../../../provider/storage/spec";
import { sampleBackup, sampleS3, sampleSftp, sampleStorage } from "../sample-storage";

const specOf = (changes: Partial<BackupSpec> = {}) => sampleStorage({ backups: { nightly: sampleBackup(changes) } });
const folder = `${backupConstants.BACKUPS_FOLDER}/nightly`;
/** Name → content of what restic needs to know. */
const settings = (changes: Partial<BackupSpec> = {}) =>
    Object.fromEntries(
        settingsFiles(specOf(changes)).map(({ path, content }) => [path.replace(`${folder}/`, ""), content]),
    );
const paths = (changes: Partial<BackupSpec> = {}) => backupFiles(specOf(changes)).map(({ path }) => path);
const sftp = (changes: Partial<typeof sampleSftp> = {}) => ({ repository: { sftp: { ...sampleSftp, ...changes } } });

describe("the files of a backup", () => {
    for (const [what, repository, address] of [
        ["a folder", { folder: "/mnt/backup/site" }, "/mnt/backup/site"],
        ["SFTP", { sftp: sampleSftp }, "sftp:ops@backup.example:/backup/site"],
        [
            "SFTP to an address of IPv6",
            { sftp: { ...sampleSftp, host: "fd00::1" } },
            "sftp://ops@[fd00::1]:22//backup/site",
        ],
        ["S3", { s3: sampleS3 }, "s3:https://s3.example/bucket/site"],
    ] as [string, BackupRepository, string][]) {
        it(`have the address of ${what} as restic writes it`, () =>
            assert.equal(settings({ repository })["repository"], `${address}\n`));
    }

    it("are the same ones for each kind of place, so that nothing of a former one stays", () => {
        const names = Object.keys(settings());
        assert.deepEqual(Object.keys(settings(sftp())), names);
        assert.deepEqual(Object.keys(settings({ repository: { s3: sampleS3 } })), names);
        const { "sftp-command": command, "sftp-key": key, "access-key": access, region } = settings();
        assert.deepEqual([command, key, access, region], ["", "", "", ""]);
    });

    it("tell restic what stays", () => {
        const keep = { last: 2, daily: 0, yearly: 1 };
        assert.equal(settings({ keep })["keep"], "--keep-last 2 --keep-daily 0 --keep-yearly 1\n");
    });

    it("have the exports one a line, in one order", () => {
        assert.equal(settings({ exports: ["/exports/b", "/exports/a"] })["paths"], "/exports/a\n/exports/b\n");
    });

    it("name the host key as ssh looks it up, and let ssh accept no other one", () => {
        assert.equal(settings(sftp())["known_hosts"], "backup.example ssh-ed25519 AAAAC3Nz\n");
        const { known_hosts: known, "sftp-command": command } = settings(sftp({ port: 2222 }));
        assert.equal(known, "[backup.example]:2222 ssh-ed25519 AAAAC3Nz\n");
        for (const part of [
            `-i ${folder}/sftp-key`,
            `UserKnownHostsFile=${folder}/known_hosts`,
            "StrictHostKeyChecking=yes",
            "-p 2222 -l ops backup.example -s sftp",
        ]) {
            assert.ok(command!.includes(part), part);
        }
    });

    it("have a key with exactly one line end, which ssh asks for", () => {
        for (const privateKey of ["key", "key\n", "key\n\n"])
            assert.equal(settings(sftp({ privateKey }))["sftp-key"], "key\n");
    });

    it("that restic reads are for root only, and secret", () => {
        for (const changes of [{}, sftp(), { repository: { s3: sampleS3 } }]) {
            for (const { path, mode, secret } of settingsFiles(specOf(changes)))
                assert.deepEqual([mode, secret], [0o600, true], path);
        }
    });

    it("hold passwords and keys nowhere else", () => {
        for (const changes of [{}, sftp(), { repository: { s3: sampleS3 } }]) {
            for (const { path, content } of backupFiles(specOf(changes)).filter(({ secret }) => !secret))
                assert.doesNotMatch(content, /canary/, path);
        }
        assert.match(JSON.stringify(settings(sftp())), /canary-password.*canary-key/);
    });

    it("have a timer only with a schedule; a missed one is made up for", () => {
        const timer = `${backupConstants.UNITS_FOLDER}/pulumi-nfv-backup@nightly.timer`;
        assert.ok(!paths().includes(timer));
        assert.ok(paths({ schedule: "daily" }).includes(timer));
        const { content } = backupFiles(specOf({ schedule: "*-*-* 02:30" })).find(({ path }) => path === timer)!;
        assert.match(content, /^OnCalendar=\*-\*-\* 02:30\nPersistent=true$/m);
    });

    it("are none without backups", () => assert.deepEqual(backupFiles(sampleStorage()), []));

    it("come with lines for the scripts, by name", () => {
        const spec = sampleStorage({
            backups: { b: sampleBackup({ run: "one" }), a: sampleBackup({ schedule: "*-*-* 02:30" }) },
        });
        assert.equal(backupLines(spec), "a - *-*-* 02:30\nb one -");
        assert.equal(scheduleLines(spec), "a *-*-* 02:30\nb -");
    });
});

import { deepStrictEqual, match } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { BackupArgs, BackupS3Args, BackupSftpArgs, RestoreArgs } from "../../../../../components/args/backup-args";
import type { StorageArgs } from "../../../../../components/args/storage-args";
import { problems } from "../../../../../components/validation/validate";
import { clusterArgs, sampleCertificate, sampleKey } from "../../sample-args";

const sftp: BackupSftpArgs = {
    host: "backup.example.org",
    user: "ops",
    folder: "/backup/site",
    privateKey: sampleKey,
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5mNWtYmRzIrcfcUYRQbHqJwHvuqPHcvXDbEtzzmXeN",
};
const s3: BackupS3Args = {
    url: "https://s3.example.org/bucket/folder",
    accessKey: "access",
    secretKey: "secret",
};
const backup = (changes: Partial<BackupArgs> = {}): BackupArgs => ({
    repository: { folder: "/mnt/backup" },
    password: "canary word",
    ...changes,
});
/** As a program writes a value that another resource has. */
const later = pulumi.output("later");
const restore = (changes: Partial<RestoreArgs> = {}): RestoreArgs => ({
    ...{ backup: "nightly", path: "/exports/data", volume: "data", folder: "back" },
    ...changes,
});
const said = (changes: Partial<StorageArgs>) =>
    problems("KubernetesCluster", {
        clusterName: "core",
        ...clusterArgs(1, { a: 1 }),
        storage: {
            server: { address: "10.99.0.200" },
            volumes: { data: { disk: "/dev/disk/by-id/virtio-data" } },
            exports: { "/exports/data": { volume: "data" } },
            ...changes,
        },
    }).join("\n");
const backupSaid = (changes: Partial<BackupArgs>) => said({ backups: { nightly: backup(changes) } });
const sftpSaid = (changes: Partial<BackupSftpArgs>) => backupSaid({ repository: { sftp: { ...sftp, ...changes } } });
const s3Said = (changes: Partial<BackupS3Args>) => backupSaid({ repository: { s3: { ...s3, ...changes } } });
const restoreSaid = (changes: Partial<RestoreArgs>, more: Partial<StorageArgs> = {}) =>
    said({ backups: { nightly: backup() }, restores: { lost: restore(changes) }, ...more });

/** The only thing that is wrong, in the words that name the key. */
const isRequired = (key: string) =>
    new RegExp(`^storage\\.backups\\.nightly\\.repository\\.${key.replace(".", "\\.")}: is required$`);

describe("the rules of backups", () => {
    for (const [what, found] of [
        ["a folder", () => backupSaid({})],
        ["SFTP", () => sftpSaid({})],
        ["SFTP on another port, to an address", () => sftpSaid({ host: "fd00::1", port: 2222 })],
        ["S3", () => s3Said({})],
        [
            "S3 of a site",
            () => s3Said({ url: "http://10.0.0.9:9000/b", region: "eu-1", caCertificate: sampleCertificate }),
        ],
        [
            "some exports, and what is kept",
            () => backupSaid({ exports: ["/exports/data"], keep: { last: 3, daily: 0 } }),
        ],
        ["one now", () => backupSaid({ run: "before-1.35" })],
        ...["daily", "*-*-* 02:30", "Mon..Fri 22:00", "*-*~01", "*-*-* 02:30 America/New_York", "*:0/15"].map(
            schedule => [`the schedule ${schedule}`, () => backupSaid({ schedule })] as const,
        ),
        ["values that are known later", () => sftpSaid({ host: later, privateKey: later, hostKey: later })],
        ["a password that is known later", () => backupSaid({ password: later })],
        ["keys of S3 that are known later", () => s3Said({ accessKey: later, secretKey: later })],
        ["one repository for two", () => said({ backups: { a: backup(), b: backup() } })],
        [
            "two passwords of two repositories, and of one where they are known later",
            () =>
                said({
                    backups: {
                        a: backup(),
                        b: backup({ repository: { folder: "/mnt/other" }, password: "canary 2" }),
                        c: backup({ password: later }),
                    },
                }),
        ],
        ["a restore", () => restoreSaid({})],
        [
            "restores into folders beside each other",
            () => said({ backups: { nightly: backup() }, restores: { a: restore(), b: restore({ folder: "back2" }) } }),
        ],
        ["a restore of another owner's snapshot", () => restoreSaid({ snapshot: "0123abcd", owner: "core-12345678" })],
        ["a restore into the folder of an export", () => restoreSaid({ folder: "/exports/data/" })],
    ] as [string, () => string][]) {
        it(`allow ${what}`, () => deepStrictEqual(found(), ""));
    }

    for (const [what, found, expected] of [
        [
            "an export that is not there",
            () => backupSaid({ exports: ["/exports/dat"] }),
            /storage\.backups\.nightly\.exports: there is no export "\/exports\/dat".*\/exports\/data/,
        ],
        ["no export", () => backupSaid({ exports: [] }), /nightly\.exports: name at least one/],
        ["a server without exports", () => said({ exports: {}, backups: { nightly: backup() } }), /name at least one/],
        [
            "no place",
            () => backupSaid({ repository: {} }),
            /nightly\.repository: needs exactly one of folder, sftp, s3/,
        ],
        [
            "two places",
            () => backupSaid({ repository: { folder: "/mnt/backup", s3 } }),
            /nightly\.repository: has folder and s3: give exactly one of folder, sftp, s3$/,
        ],
        ...(["host", "user", "folder", "privateKey", "hostKey"] as const).map(
            key => [`SFTP without ${key}`, () => sftpSaid({ [key]: undefined }), isRequired(`sftp.${key}`)] as const,
        ),
        ...(["url", "accessKey", "secretKey"] as const).map(
            key => [`S3 without ${key}`, () => s3Said({ [key]: undefined }), isRequired(`s3.${key}`)] as const,
        ),
        [
            "a key of S3 alone",
            () => backupSaid({ repository: { s3: { accessKey: "access" } as never } }),
            /^storage\.backups\.nightly\.repository\.s3\.url: is required\n\S+\.s3\.secretKey: is required$/,
        ],
        ["no password", () => backupSaid({ password: undefined as never }), /nightly\.password: is required$/],
        [
            "a folder that is no path",
            () => backupSaid({ repository: { folder: "mnt/backup" } }),
            /repository\.folder: "mnt\/backup" is no folder of the machine/,
        ],
        ["a host that is none", () => sftpSaid({ host: "a b" }), /repository\.sftp\.host: "a b" is no name/],
        ["an option in the place of a host", () => sftpSaid({ host: "-oProxyCommand=x" }), /is no name and no address/],
        ["a port that is none", () => sftpSaid({ port: 70_000 }), /sftp\.port: 70000 is not allowed: 1 to 65535/],
        ["a user that is none", () => sftpSaid({ user: "-l root" }), /sftp\.user: "-l root" is no name of a user/],
        [
            "a remote folder that is no path",
            () => sftpSaid({ folder: "~/backup" }),
            /sftp\.folder: "~\/backup" is no folder/,
        ],
        ["a key by its path", () => sftpSaid({ privateKey: "/root/.ssh/id" }), /sftp\.privateKey: is no private key/],
        [
            "a host key with the host's name",
            () => sftpSaid({ hostKey: `backup.example.org ${sftp.hostKey}` }),
            /sftp\.hostKey: is no host key/,
        ],
        ["a host key by its fingerprint", () => sftpSaid({ hostKey: "SHA256:abc" }), /is no host key/],
        [
            "a URL without a bucket",
            () => s3Said({ url: "https://s3.example.org" }),
            /s3\.url: .* is no URL of a bucket/,
        ],
        ["a URL of restic's form", () => s3Said({ url: "s3:https://s3.example.org/b" }), /is no URL of a bucket/],
        ["a region with a blank", () => s3Said({ region: "eu 1" }), /s3\.region: "eu 1" is no region/],
        [
            "a certificate by its path",
            () => s3Said({ caCertificate: "ca.crt" }),
            /s3\.caCertificate: is no PEM certificate/,
        ],
        ["an empty password", () => backupSaid({ password: "" }), /nightly\.password: is empty/],
        [
            "a password of two lines",
            () => backupSaid({ password: "canary\nword" }),
            /password: has several lines, or a blank/,
        ],
        [
            "a password that ends with a blank",
            () => backupSaid({ password: "canary " }),
            /a blank at its beginning or end/,
        ],
        ["a schedule of cron", () => backupSaid({ schedule: "30 2 * * ?" }), /schedule: "30 2 \* \* \?" is no time/],
        [
            "a schedule with a further line",
            () => backupSaid({ schedule: "daily\nUnit=x" }),
            /is no time that systemd knows/,
        ],
        [
            'a schedule that scripts take for none: "-"',
            () => backupSaid({ schedule: "-" }),
            /is no time that systemd knows/,
        ],
        ...(["accessKey", "secretKey"] as const).flatMap(key =>
            ["", "canary\nword", "canary "].map(
                value =>
                    [
                        `the ${key} ${JSON.stringify(value)}`,
                        () => s3Said({ [key]: value }),
                        new RegExp(`s3\\.${key}: is empty, or has a blank`),
                    ] as const,
            ),
        ),
        ...["/exports/data", "/exports/data/own", "/srv/pulumi-nfv/data", "/srv/pulumi-nfv"].map(
            folder =>
                [
                    `a repository in ${folder}`,
                    () => backupSaid({ repository: { folder } }),
                    /nightly\.repository\.folder: "\S+" lies in \/\S+, which the backup is to save/,
                ] as const,
        ),
        [
            "an export twice",
            () => backupSaid({ exports: ["/exports/data", "/exports/data"] }),
            /nightly\.exports: has "\/exports\/data" twice/,
        ],
        [
            "two passwords of one repository",
            () => said({ backups: { a: backup(), b: backup({ password: "canary 2" }) } }),
            /backups\.b\.password: is another one than that of a, which has the same repository/,
        ],
        [
            "two passwords of one repository by SFTP",
            () =>
                said({
                    backups: {
                        a: backup({ repository: { sftp } }),
                        b: backup({ repository: { sftp: { ...sftp, port: 22 } }, password: "canary 2" }),
                    },
                }),
            /b\.password: is another one/,
        ],
        ["nothing to keep", () => backupSaid({ keep: {} }), /keep: keeps nothing: give at least one period/],
        ["zero of all periods", () => backupSaid({ keep: { daily: 0 } }), /keeps nothing/],
        ["less than none", () => backupSaid({ keep: { last: 1, daily: -1 } }), /keep\.daily: -1 is not allowed/],
        ["a part of one", () => backupSaid({ keep: { last: 1.5 } }), /keep\.last: 1\.5 is not allowed/],
        ["an unknown period", () => backupSaid({ keep: { minutely: 1 } as never }), /minutely/],
        ["a run of two words", () => backupSaid({ run: "before upgrade" }), /run: "before upgrade" is not allowed/],
        [
            "a name that is none",
            () => said({ backups: { Nightly_1: backup() } }),
            /backups\.Nightly_1: the name must be a DNS label/,
        ],
        ["backups without a server", () => said({ server: undefined } as never), /storage\.server: is required/],
    ] as [string, () => string, RegExp][]) {
        it(`refuse ${what}`, () => match(found(), expected));
    }

    it("never print a password", () => {
        const texts = ["canary\nword", "canary "].flatMap(value => [
            backupSaid({ password: value }),
            s3Said({ accessKey: value, secretKey: value }),
            said({ backups: { a: backup(), b: backup({ password: value }) } }),
        ]);
        for (const text of texts) {
            match(text, /password|Key/);
            deepStrictEqual(/canary/.test(text), false, text);
        }
    });
});

describe("the rules of restores", () => {
    for (const [what, found, expected] of [
        [
            "a backup that is not there",
            () => restoreSaid({ backup: "nightli" }),
            /storage\.restores\.lost\.backup: there is no backup "nightli".*nightly/,
        ],
        ["a snapshot that is none", () => restoreSaid({ snapshot: "yesterday" }), /snapshot: "yesterday" is no id/],
        [
            "a path that is none",
            () => restoreSaid({ path: "exports/data" }),
            /path: "exports\/data" is no path of an export/,
        ],
        ["a volume that is not there", () => restoreSaid({ volume: "dat" }), /volume: there is no volume "dat".*data/],
        [
            "a folder out of the volume",
            () => restoreSaid({ folder: "../x" }),
            /folder: "\.\.\/x" is no folder within a volume/,
        ],
        ["the volume itself", () => restoreSaid({ folder: "/" }), /is no folder within a volume/],
        ["our own folder", () => restoreSaid({ folder: ".pulumi-nfv" }), /is no folder within a volume/],
        [
            "a folder within an export's",
            () => restoreSaid({ folder: "exports/data/back" }),
            /folder: "exports\/data\/back" and the folder of the export \/exports\/data lie one within the other/,
        ],
        ["a folder around an export's", () => restoreSaid({ folder: "exports" }), /lie one within the other/],
        ...["back", "/back/", "back/deep", "back/deep/er"].map(
            folder =>
                [
                    `two of them into back and ${folder}`,
                    () => said({ backups: { nightly: backup() }, restores: { a: restore(), b: restore({ folder }) } }),
                    /restores\.b\.folder: "\S+" and the folder of the restore a are the same, or lie one within the other/,
                ] as const,
        ),
        ["an owner that is none", () => restoreSaid({ owner: "Core 1" }), /owner: "Core 1" is no owner's id/],
        [
            "a name that is none",
            () => said({ backups: { nightly: backup() }, restores: { "a/b": restore() } }),
            /restores\.a\/b: the name must be a DNS label/,
        ],
    ] as [string, () => string, RegExp][]) {
        it(`refuse ${what}`, () => match(found(), expected));
    }

    it("of a StorageServer are the same", () => {
        const found = problems("StorageServer", {
            server: { address: "10.0.0.31", ssh: { privateKey: sampleKey } },
            volumes: { data: { disk: "/dev/disk/by-id/virtio-data" } },
            exports: { "/exports/data": { volume: "data", clients: ["10.0.0.0/24"] } },
            restores: { lost: restore() },
        });
        match(found.join(), /^restores\.lost\.backup: there is no backup "nightly"/);
    });
});

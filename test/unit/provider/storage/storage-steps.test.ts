import assert from "node:assert/strict";
import { plan, stale } from "../../../../provider/steps";
import { volumeLines } from "../../../../provider/storage/disks/volume-lines";
import { exportLines, optionsOf } from "../../../../provider/storage/export-lines";
import { installNfsClient } from "../../../../provider/storage/install-client";
import type { BackupSpec, StorageSpec } from "../../../../provider/storage/spec";
import { storageBackupSteps, storageSteps } from "../../../../provider/storage/storage-steps";
import { hostSpec } from "../sample-specs";
import { sampleBackup, sampleExport, sampleRestore, sampleSftp, sampleStorage, sampleVolume } from "./sample-storage";

const planned = (spec: StorageSpec) => plan(storageSteps, spec, "key");
/** Those of both resources. */
const all = (spec: StorageSpec) => [...planned(spec), ...plan(storageBackupSteps, spec, "key")];
const changedSteps = (before: StorageSpec, after: StorageSpec) => {
    const done = Object.fromEntries(all(before).map(({ id, fingerprint }) => [id, fingerprint]));
    return stale(all(after), done).map(({ id }) => id);
};

describe("the steps of a storage server", () => {
    it("change the disks before they export, and unmount after that", () => {
        const ids = planned(sampleStorage()).map(({ id }) => id);
        assert.deepEqual(ids, [
            "host.cloud-init",
            "storage.proxy",
            "storage.settings",
            "storage.announced",
            "storage.server",
            "storage.volumes",
            "storage.backups",
            "storage.folders",
            "storage.exports",
            "storage.unused",
        ]);
    });

    for (const [what, changes, ids] of [
        [
            "another client",
            { exports: { "/exports/data": sampleExport({ clients: ["10.0.0.7"] }) } },
            ["storage.exports"],
        ],
        ["a proxy", { proxy: { httpProxy: "http://proxy:3128" } }, ["storage.proxy"]],
        ["more threads", { threads: 16 }, ["storage.settings"]],
        ["a larger volume", { volumes: { data: sampleVolume({ sizeGiB: 9 }) } }, ["storage.volumes"]],
        [
            "another owner of a folder",
            { exports: { "/exports/data": sampleExport({ uid: 7 }) } },
            ["storage.folders", "storage.exports"],
        ],
        ["an export that goes", { exports: {} }, ["storage.folders", "storage.exports", "storage.unused"]],
    ] as [string, Partial<StorageSpec>, string[]][]) {
        it(`for ${what} are these: ${ids.join(", ")}`, () => {
            assert.deepEqual(changedSteps(sampleStorage(), sampleStorage(changes)), ids);
        });
    }

    const saved = (changes: Partial<BackupSpec> = {}, more: Partial<StorageSpec> = {}) =>
        sampleStorage({ backups: { nightly: sampleBackup(changes) }, ...more });
    it("restore after the settings of backups are there, and before folders are made and served", () => {
        const ids = planned(saved({}, { restores: { lost: sampleRestore() } })).map(({ id }) => id);
        assert.deepEqual(ids.slice(ids.indexOf("storage.volumes")), [
            "storage.volumes",
            "storage.backups",
            "storage.restore",
            "storage.folders",
            "storage.exports",
            "storage.unused",
        ]);
    });

    for (const [what, after, ids] of [
        ["a first one", saved(), ["storage.server", "storage.backups", "storage.backup"]],
        ["none any more", sampleStorage(), ["storage.server", "storage.backups", "storage.backup"]],
        ["another `run`", saved({ run: "two" }), ["storage.backup"]],
        ["a schedule", saved({ schedule: "daily" }), ["storage.schedules", "storage.backups", "storage.backup"]],
        ["another password", saved({ password: "other" }), ["storage.backups", "storage.backup"]],
        ["more to keep", saved({ keep: { daily: 9 } }), ["storage.backups", "storage.backup"]],
        [
            "a repository by SFTP",
            saved({ repository: { sftp: sampleSftp } }),
            ["storage.server", "storage.backups", "storage.backup"],
        ],
        ["a restore", saved({}, { restores: { lost: sampleRestore() } }), ["storage.restore"]],
    ] as [string, StorageSpec, string[]][]) {
        it(`for backups with ${what} are these: ${ids.join(", ")}`, () => {
            const before = what === "a first one" ? sampleStorage() : saved();
            assert.deepEqual(changedSteps(before, after), ids);
        });
    }

    it("do not open a repository: a resource of its own does that at last", () => {
        const opens = (run = "") => run.includes("open_repository\n");
        assert.ok(!planned(saved()).some(({ run }) => opens(run)));
        assert.ok(opens(plan(storageBackupSteps, saved(), "key")[0]!.run));
    });

    it("install restic for backups, and ssh for those over SFTP", () => {
        const packages = (spec: StorageSpec) => {
            const { APT_PACKAGES, DNF_PACKAGES } = planned(spec).find(({ id }) => id === "storage.server")!.env!;
            return [APT_PACKAGES!, DNF_PACKAGES!].map(names =>
                names.split(" ").filter(name => /restic|openssh/.test(name)),
            );
        };
        assert.deepEqual(packages(sampleStorage()), [[], []]);
        assert.deepEqual(packages(saved()), [["restic"], ["restic"]]);
        assert.deepEqual(packages(saved({ repository: { sftp: sampleSftp } })), [
            ["restic", "openssh-client"],
            ["restic", "openssh-clients"],
        ]);
    });

    it("have passwords and keys in files only", () => {
        for (const { id, run, env, observe } of all(saved({ repository: { sftp: sampleSftp } })))
            assert.doesNotMatch(JSON.stringify([run, env, observe]), /canary/, id);
    });

    it("restore what this server saved, unless another owner is named", () => {
        const lines = (owner: string) =>
            planned(saved({}, { restores: { lost: sampleRestore({ owner }) } })).find(
                ({ id }) => id === "storage.restore",
            )!.env!["RESTORES"];
        assert.equal(lines(""), "lost nightly latest /exports/data data back store-12345678");
        assert.equal(lines("former-1"), "lost nightly latest /exports/data data back former-1");
    });

    it("do not depend on the order in which volumes and exports are written", () => {
        const [a, b] = [sampleVolume(), sampleVolume({ disk: "/dev/disk/by-id/b" })];
        assert.equal(
            volumeLines({ clusterId: "c", volumes: { a, b } }),
            volumeLines({ clusterId: "c", volumes: { b, a } }),
        );
    });
});

describe("an export", () => {
    it("acknowledges a write when it is on the disk, and exists only while its volume does", () => {
        const options = optionsOf(sampleExport()).split(",");
        assert.deepEqual(options, [
            "rw",
            "sync",
            "no_subtree_check",
            "mountpoint",
            "all_squash",
            "anonuid=65534",
            "anongid=65534",
        ]);
    });

    it("has the options that were asked for", () => {
        const asked = sampleExport({ readOnly: true, sync: false, squash: "none", options: ["sec=krb5p"] });
        assert.equal(optionsOf(asked), "ro,async,no_subtree_check,mountpoint,no_root_squash,sec=krb5p");
    });

    it("names each client once, and proves itself in the version that clients use", () => {
        const exports = {
            "/e": sampleExport({ clients: ["10.0.0.2", "10.0.0.1", "10.0.0.2"], registeredClients: true }),
        };
        assert.match(exportLines(sampleStorage({ exports })), / 10\.0\.0\.31 4 10\.0\.0\.1 10\.0\.0\.2 registered$/);
        assert.match(exportLines(sampleStorage({ exports, nfs3: true })), / 10\.0\.0\.31 3 /);
    });
});

describe("the NFS client", () => {
    it("is a step of nodes in a cluster with storage, and of no others", () => {
        assert.equal(installNfsClient(hostSpec()), undefined);
        const { env } = installNfsClient(hostSpec({ nfsClient: true }))!;
        assert.deepEqual(env, { APT_PACKAGES: "nfs-common", DNF_PACKAGES: "nfs-utils" });
    });

    it("is looked for, and not installed, where the image brings everything", () => {
        const { run } = installNfsClient(hostSpec({ nfsClient: true, source: { image: {} } }))!;
        assert.match(run!, /exit 1/);
        assert.doesNotMatch(run!, /install-packages/);
    });
});

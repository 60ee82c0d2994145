import assert from "node:assert/strict";
import { storageSteps } from "../../../../provider/lifecycle/storage-steps";
import { plan, stale } from "../../../../provider/steps";
import { exportLines, optionsOf } from "../../../../provider/storage/export-lines";
import { installNfsClient } from "../../../../provider/storage/install-client";
import type { StorageSpec } from "../../../../provider/storage/spec";
import { volumeLines } from "../../../../provider/storage/volume-lines";
import { hostSpec } from "../sample-specs";
import { sampleExport, sampleStorage, sampleVolume } from "./sample-storage";

const planned = (spec: StorageSpec) => plan(storageSteps, spec, "key");
const changedSteps = (before: StorageSpec, after: StorageSpec) => {
    const done = Object.fromEntries(planned(before).map(({ id, fingerprint }) => [id, fingerprint]));
    return stale(planned(after), done).map(({ id }) => id);
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
            "storage.backup",
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

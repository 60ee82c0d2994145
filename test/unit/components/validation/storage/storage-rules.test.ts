import { deepStrictEqual, match } from "node:assert/strict";
import type { ExportArgs, StorageArgs, StorageVolumeArgs } from "../../../../../components/args/storage-args";
import { problems } from "../../../../../components/validation/validate";
import { clusterArgs } from "../../sample-args";

const volume = { disk: "/dev/disk/by-id/virtio-data" };
const storage = (changes: Partial<StorageArgs> = {}): StorageArgs => ({
    server: { address: "10.99.0.200" },
    volumes: { data: volume },
    exports: { "/exports/data": { volume: "data" } },
    ...changes,
});
const said = (given: StorageArgs) =>
    problems("KubernetesCluster", { clusterName: "core", ...clusterArgs(1, { a: 1 }), storage: given });
const volumeSaid = (changes: Partial<StorageVolumeArgs>) =>
    said(storage({ volumes: { data: { ...volume, ...changes } } })).join("\n");
const exportSaid = (changes: Partial<ExportArgs>, path = "/exports/data") =>
    said(storage({ exports: { [path]: { volume: "data", ...changes } } })).join("\n");

/** The same cluster on servers of a cloud, with a storage server of its own. */
const cloudSaid = (
    { server = {}, data = {}, snapshots }: { server?: object; data?: object; snapshots?: object } = {},
    infrastructure: object = { nova: { externalNetwork: "public", image: "debian-12", flavor: "m1.medium" } },
) =>
    problems("KubernetesCluster", {
        clusterName: "core",
        ...clusterArgs(1, { a: 1 }),
        pools: { a: { count: 1 } },
        infrastructure: infrastructure as never,
        storage: storage({
            server: { flavor: "m1.small", ...server },
            volumes: { data: { sizeGiB: 5, ...data } },
            ...(snapshots && { snapshots: snapshots as never }),
        }),
    }).join("\n");

describe("the rules of storage in a cloud", () => {
    const id = "5c1d0e7a-1111-2222-3333-444455556666";
    it("allow a volume that is made, and one that exists", () => {
        deepStrictEqual(cloudSaid(), "");
        deepStrictEqual(cloudSaid({ data: { sizeGiB: undefined, volumeId: id } }), "");
    });

    it("allow one that is made from a snapshot, and snapshots of volumes", () => {
        deepStrictEqual(cloudSaid({ data: { snapshotId: id } }), "");
        const snapshots = {
            nightly: { volume: "data", run: "2026-02-01" },
            two: { volume: "data", run: "a", keep: 1 },
        };
        deepStrictEqual(cloudSaid({ snapshots }), "");
    });

    it("are the same beside a Heat stack; what a template's nodes are made from is known later", () => {
        deepStrictEqual(cloudSaid({}, { heat: { externalNetwork: "public", image: "debian-12", flavor: "m" } }), "");
        deepStrictEqual(cloudSaid({}, { heat: { template: { file: "cluster.yaml" } } }), "");
    });

    for (const [what, found, expected] of [
        [
            "a disk by path",
            () => cloudSaid({ data: { disk: volume.disk } }),
            /data\.disk: is for a machine that exists/,
        ],
        ["a volume without a size", () => cloudSaid({ data: { sizeGiB: undefined } }), /data\.sizeGiB: is required/],
        [
            "an id that is none",
            () => cloudSaid({ data: { volumeId: "mine" } }),
            /"mine" is no id of a volume: openstack volume list/,
        ],
        [
            "the type of an existing volume",
            () => cloudSaid({ data: { volumeId: id, type: "ssd" } }),
            /data\.type: is for a volume that is made/,
        ],
        [
            "a snapshot by name",
            () => cloudSaid({ data: { snapshotId: "before-1.36" } }),
            /data\.snapshotId: "before-1\.36" is no id of a snapshot/,
        ],
        [
            "a snapshot of an existing volume",
            () => cloudSaid({ data: { volumeId: id, snapshotId: id } }),
            /data\.snapshotId: is for a volume that is made/,
        ],
        [
            "a volume from a snapshot without a size",
            () => cloudSaid({ data: { snapshotId: id, sizeGiB: undefined } }),
            /data\.sizeGiB: is required/,
        ],
        [
            "a snapshot of no volume",
            () => cloudSaid({ snapshots: { nightly: { volume: "dat", run: "one" } } }),
            /storage\.snapshots\.nightly\.volume: there is no volume "dat".*"data"/,
        ],
        [
            "a run of several words",
            () => cloudSaid({ snapshots: { nightly: { volume: "data", run: "before 1.36" } } }),
            /storage\.snapshots\.nightly\.run: "before 1\.36" is not allowed/,
        ],
        [
            "a word that begins with another character, and says with which one it may begin",
            () => cloudSaid({ snapshots: { nightly: { volume: "data", run: "_one" } } }),
            /nightly\.run: "_one" is not allowed: a word of 1 to 100 .*begins with a letter or digit$/,
        ],
        [
            "a word that is too long, without all of it",
            () => cloudSaid({ snapshots: { nightly: { volume: "data", run: "x".repeat(300) } } }),
            /nightly\.run: "x{60}…" \(300 characters\) is not allowed/,
        ],
        [
            "a name that is too long, and says how long it may be",
            () => cloudSaid({ snapshots: { ["a".repeat(64)]: { volume: "data", run: "one" } } }),
            /a: the name must be a DNS label \(at most 63 of/,
        ],
        [
            "an owner that is none, and says where it stands",
            () => cloudSaid({ data: { snapshotId: id, owner: "Core_1" } }),
            /data\.owner: "Core_1" is no owner's id: the clusterId of a cluster/,
        ],
        [
            "snapshots of which none stays",
            () => cloudSaid({ snapshots: { nightly: { volume: "data", run: "one", keep: 0 } } }),
            /storage\.snapshots\.nightly\.keep: 0 is not allowed/,
        ],
        [
            "a name of snapshots with a blank",
            () => cloudSaid({ snapshots: { "every night": { volume: "data", run: "one" } } }),
            /storage\.snapshots\.every night: the name must be a DNS label/,
        ],
        [
            "snapshots of an existing machine's disks",
            () => said(storage({ snapshots: { nightly: { volume: "data", run: "one" } } })).join(),
            /storage\.snapshots: are of volumes of a cloud/,
        ],
        [
            "snapshots without a server",
            () => said({ snapshots: { nightly: { volume: "data", run: "one" } } }).join(),
            /storage\.server: is required with snapshots/,
        ],
        [
            "an existing machine's volume from a snapshot",
            () => volumeSaid({ snapshotId: id } as never),
            /data\.snapshotId: is for a server that is made/,
        ],
        [
            "a fixed address that is none",
            () => cloudSaid({ server: { fixedAddress: "10.0.0" } }),
            /storage\.server\.fixedAddress: "10\.0\.0" is no IPv4 address/,
        ],
        [
            "an address beside a flavor",
            () => cloudSaid({ server: { address: "10.0.0.31" } }),
            /storage\.server\.address: is for a machine that exists already/,
        ],
        [
            "no image",
            () => cloudSaid({}, { nova: { externalNetwork: "public", flavor: "m1.medium" } }),
            /storage\.server\.image: is required/,
        ],
        [
            "existing machines, where nothing makes a server",
            () => cloudSaid({}, { hosts: { controlPlane: { m1: { address: "10.99.0.11" } } } }),
            /^storage\.server\.flavor: is for a server that is made in a cloud, and infrastructure\.heat or nova is missing/m,
        ],
        [
            "no image of a stack's servers",
            () => cloudSaid({}, { heat: { externalNetwork: "public", flavor: "m1.medium" } }),
            /storage\.server\.image: is required/,
        ],
        [
            "neither address nor flavor",
            () => said(storage({ server: {} })).join(),
            /storage\.server: needs address, of a machine that exists, or flavor/,
        ],
        [
            "an image for an existing machine",
            () => said(storage({ server: { address: "10.99.0.200", image: "x" } })).join(),
            /server\.image: is for a server that is made/,
        ],
        [
            "an existing machine's volume without a disk",
            () => volumeSaid({ disk: undefined as never }),
            /data\.disk: is required/,
        ],
    ] as const) {
        it(`refuse ${what}`, () => match(found(), expected));
    }
});

describe("the rules of storage", () => {
    it("allow what the documentation shows", () => {
        deepStrictEqual(said(storage()), []);
        deepStrictEqual(said({}), []);
    });

    for (const [what, found, expected] of [
        [
            "a disk by a name that may change",
            () => volumeSaid({ disk: "/dev/vdb" }),
            /volumes\.data\.disk: "\/dev\/vdb" is no path below \/dev\/disk\/by-id/,
        ],
        ["an unknown file system", () => volumeSaid({ fileSystem: "btrfs" }), /data\.fileSystem/],
        ["a size that is none", () => volumeSaid({ sizeGiB: 0 }), /data\.sizeGiB/],
        [
            "one disk twice",
            () => said(storage({ volumes: { data: volume, logs: volume } })).join(),
            /logs\.disk: is the disk of storage\.volumes\.data too/,
        ],
        ["an unknown volume", () => exportSaid({ volume: "dta" }), /there is no volume "dta".*data/],
        ["a path with a blank", () => exportSaid({}, "/exports/my data"), /must be a path/],
        ["a path out of its folder", () => exportSaid({}, "/exports/../etc"), /must be a path/],
        ["a folder of the system", () => exportSaid({}, "/etc/data"), /belongs to the system/],
        ["a folder that others share", () => exportSaid({}, "/srv"), /exports\.\/srv: is a folder of the system/],
        ["a folder out of the volume", () => exportSaid({ folder: "../other" }), /no folder within a volume/],
        ["our own folder", () => exportSaid({ folder: ".pulumi-nfv" }), /no folder within a volume/],
        ["a mode that is none", () => exportSaid({ mode: "rwx" }), /exports\/data\.mode/],
        ["a client that is none", () => exportSaid({ clients: ["everybody"] }), /"everybody" is no address/],
        ["no client at all", () => exportSaid({ clients: [] }), /no client could mount it/],
        [
            "an option that an input stands for",
            () => exportSaid({ options: ["async"] }),
            /async: readOnly, sync, squash/,
        ],
        ["an option with a bracket", () => exportSaid({ options: ["rw)(x"] }), /no option of exports/],
        ["a squash that is none", () => exportSaid({ squash: "some" }), /squash/],
        [
            "volumes without a server",
            () => said({ volumes: { data: volume } }).join(),
            /storage\.server: is required with volumes/,
        ],
        ["a node as server", () => said(storage({ server: { address: "10.99.0.11" } })).join(), /is the node m1/],
        [
            "exports within each other",
            () =>
                said(
                    storage({ exports: { "/exports/a": { volume: "data" }, "/exports/a/b": { volume: "data" } } }),
                ).join(),
            /lies within the export \/exports\/a/,
        ],
        [
            "folders within each other",
            () =>
                said(
                    storage({
                        exports: {
                            "/exports/a": { volume: "data", folder: "x" },
                            "/exports/b": { volume: "data", folder: "x/y" },
                            "/exports/c": { volume: "data", folder: "x" },
                        },
                    }),
                ).join(),
            /exports\/b\.folder: "x\/y" lies within the folder of the export \/exports\/a/,
        ],
        ["too many threads", () => said(storage({ threads: 5000 })).join(), /storage\.threads/],
        [
            "a PersistentVolume on no export",
            () => said(storage({ persistentVolumes: { one: { path: "/exports/dat", capacityGiB: 1 } } })).join(),
            /persistentVolumes\.one\.path: \/exports\/dat is in no export of this storage/,
        ],
        [
            "data that Kubernetes cannot delete",
            () =>
                said(
                    storage({
                        persistentVolumes: { one: { path: "/exports/data", capacityGiB: 1, reclaimPolicy: "Delete" } },
                    }),
                ).join(),
            /reclaimPolicy: Kubernetes cannot delete/,
        ],
        [
            "a claim without its namespace",
            () =>
                said(
                    storage({ persistentVolumes: { one: { path: "/exports/data", capacityGiB: 1, claim: "data" } } }),
                ).join(),
            /persistentVolumes\.one\.claim: must be a namespace and the name of a claim, such as "nfv\/data"; got "data"/,
        ],
        [
            "no capacity",
            () => said(storage({ persistentVolumes: { one: { path: "/exports/data", capacityGiB: 0 } } })).join(),
            /capacityGiB/,
        ],
    ] as [string, () => string, RegExp][]) {
        it(`refuse ${what}`, () => match(found(), expected));
    }

    it("of PersistentVolumes ask for a server", () => {
        const volumes = { one: { path: "/exports/data", capacityGiB: 1 } };
        match(problems("PersistentVolumes", { vim: {}, volumes }).join(), /volumes\.one\.path: has no server/);
        match(problems("PersistentVolumes", { vim: {} }).join(), /volumes: is required, or manifests/);
        deepStrictEqual(problems("PersistentVolumes", { vim: {}, volumes, server: "10.0.0.31" }), []);
    });
});

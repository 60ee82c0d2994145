import { deepStrictEqual, match } from "node:assert/strict";
import type { NfsStorageClassArgs, StorageArgs } from "../../../../../components/args/storage-args";
import { problems } from "../../../../../components/validation/validate";
import { clusterArgs } from "../../sample-args";

const said = (storage: Partial<StorageArgs>, more: object = {}) =>
    problems("KubernetesCluster", {
        clusterName: "core",
        ...clusterArgs(1, { a: 1 }),
        storage: {
            server: { address: "10.99.0.200" },
            volumes: { data: { disk: "/dev/disk/by-id/virtio-data" } },
            exports: { "/exports/data": { volume: "data" }, "/exports/site": { volume: "data", readOnly: true } },
            ...storage,
        },
        ...more,
    }).join("\n");
const classSaid = (changes: Partial<NfsStorageClassArgs>, name = "fast") =>
    said({ storageClasses: { [name]: { export: "/exports/data", ...changes } } });

const cloudProvider = (cinderCsi: object) => ({ cloudProvider: { cinderCsi } });
const fast = { fast: { export: "/exports/data", isDefault: true } };

describe("the rules of storage classes", () => {
    it("allow what the documentation shows", () => {
        deepStrictEqual(classSaid({}), "");
        deepStrictEqual(
            classSaid({ onDelete: "delete", mode: "0777", mountOptions: ["hard", "nfsvers=4.2"], isDefault: true }),
            "",
        );
        deepStrictEqual(classSaid({ reclaimPolicy: "Retain" }), "");
        deepStrictEqual(said({ storageClasses: fast, nfsCsi: { enabled: false } }), "");
    });

    for (const [what, found, expected] of [
        ["an export that is none", () => classSaid({ export: "/exports/dta" }), /is no export of this storage.*data/],
        [
            "a folder of an export, which may not exist",
            () => classSaid({ export: "/exports/data/x" }),
            /is no export of this storage/,
        ],
        ["an export that is only read", () => classSaid({ export: "/exports/site" }), /\/exports\/site is readOnly/],
        ["a path that is none", () => classSaid({ export: "data" }), /fast\.export: must be a path/],
        ["a name that is none", () => classSaid({}, "Fast"), /storageClasses\.Fast: the name must be a DNS name/],
        ["another policy", () => classSaid({ reclaimPolicy: "Recycle" }), /"Recycle" is not allowed: Delete, Retain/],
        ["another end of a folder", () => classSaid({ onDelete: "shred" }), /"shred" is not allowed: archive, delete/],
        [
            "the end of a folder that stays",
            () => classSaid({ reclaimPolicy: "Retain", onDelete: "delete" }),
            /onDelete: has no meaning with reclaimPolicy Retain/,
        ],
        ["a mode that is none", () => classSaid({ mode: "rwx" }), /"rwx" is no mode/],
        ["several options in one", () => classSaid({ mountOptions: ["hard,nfsvers=4"] }), /is no option of mount/],
        [
            "two defaults",
            () => said({ storageClasses: { ...fast, slow: fast.fast } }),
            /only one can be the default: fast, slow have isDefault/,
        ],
        [
            "a default beside Cinder's",
            () => said({ storageClasses: fast }, cloudProvider({})),
            /one of cloudProvider\.cinderCsi is/,
        ],
        [
            "a name of Cinder's",
            () =>
                said(
                    { storageClasses: { ssd: { export: "/exports/data" } } },
                    cloudProvider({ storageClasses: { ssd: {} } }),
                ),
            /storageClasses\.ssd: is a storage class of cloudProvider\.cinderCsi, too/,
        ],
        ["a driver without classes", () => said({ nfsCsi: {} }), /storage\.nfsCsi: is for storageClasses/],
        [
            "classes without a server",
            () => said({ server: undefined, volumes: undefined, exports: undefined, storageClasses: fast } as never),
            /storage\.server: is required with storageClasses/,
        ],
    ] as const) {
        it(`refuse ${what}`, () => match(found(), expected));
    }
});

describe("the rules of snapshot classes", () => {
    const storageClasses = { fast: { export: "/exports/data" } };
    const nfs = (snapshotClasses: StorageArgs["snapshotClasses"], more: object = {}) =>
        said({ storageClasses, ...(snapshotClasses && { snapshotClasses }) }, more);
    const cinder = (cinderCsi: object, more: object = {}) =>
        problems("KubernetesCluster", {
            clusterName: "core",
            infrastructure: { nova: { image: "debian", flavor: "medium", externalNetwork: "public" } },
            kubernetes: { version: "1.34.4" },
            cloudProvider: { cinderCsi },
            ...more,
        }).join("\n");

    it("allow registries with ports and paths", () => {
        for (const imageRepository of ["registry.site:5000/mirror/k8s_io", "10.0.0.9:5000", "[fd00::9]:5000/k8s"]) {
            deepStrictEqual(nfs({ snap: {} }, { snapshotController: { imageRepository } }), "");
        }
    });

    it("allow what the documentation shows", () => {
        deepStrictEqual(nfs({ snap: { isDefault: true }, kept: { deletionPolicy: "Retain" } }), "");
        deepStrictEqual(nfs({ snap: {} }, { snapshotController: { enabled: false } }), "");
        deepStrictEqual(cinder({ snapshotClasses: { snap: { isDefault: true } } }), "");
        deepStrictEqual(cinder({ enabled: false, snapshotClasses: { snap: {} } }), "", "a part that is switched off");
    });

    for (const [what, found, expected] of [
        [
            "a file system that the driver cannot make",
            () => cinder({ storageClasses: { fast: { fsType: "etx4" } } }),
            /storageClasses\.fast\.fsType: "etx4" is not/,
        ],
        [
            "another policy",
            () => nfs({ snap: { deletionPolicy: "Recycle" } }),
            /snap\.deletionPolicy: "Recycle" is not/,
        ],
        ["a name that is none", () => nfs({ Snap: {} }), /snapshotClasses\.Snap: the name must be a DNS name/],
        [
            "two defaults of one driver",
            () => nfs({ a: { isDefault: true }, b: { isDefault: true } }),
            /storage\.snapshotClasses: only one can be the default: a, b have isDefault/,
        ],
        [
            "classes without a driver",
            () => said({ snapshotClasses: { snap: {} } }),
            /without them no driver is installed/,
        ],
        [
            "the same name for both drivers",
            () => nfs({ snap: {} }, cloudProvider({ snapshotClasses: { snap: {} } })),
            /storage\.snapshotClasses\.snap: is a snapshot class of cloudProvider\.cinderCsi, too/,
        ],
        [
            "another policy of Cinder's",
            () => cinder({ snapshotClasses: { snap: { deletionPolicy: "Keep" } } }),
            /cinderCsi\.snapshotClasses\.snap\.deletionPolicy: "Keep" is not/,
        ],
        [
            "a controller without classes",
            () => nfs(undefined, { snapshotController: {} }),
            /snapshotController: is for snapshot classes/,
        ],
        [
            "a controller for a driver that is switched off",
            () => cinder({ enabled: false, snapshotClasses: { snap: {} } }, { snapshotController: {} }),
            /snapshotController: is for snapshot classes.*, and cloudProvider\.cinderCsi is switched off/,
        ],
        [
            "the controller's images by URL",
            () => nfs({ snap: {} }, { snapshotController: { imageRepository: "https://registry.site" } }),
            /snapshotController\.imageRepository: must be a registry and path, such as/,
        ],
        [
            "the images of the NFS CSI driver by nothing",
            () => said({ storageClasses, nfsCsi: { imageRepository: "" } }),
            /storage\.nfsCsi\.imageRepository: must be a registry and path, such as/,
        ],
        [
            "the images of Cinder CSI below a path with a slash at its end",
            () => cinder({}, { cloudProvider: { cinderCsi: {}, imageRepository: "registry.site/mirror/" } }),
            /cloudProvider\.imageRepository: must be a registry and path, such as/,
        ],
        [
            "a place that the classes do not have, and says which they have",
            () => said({}, { snapshotClasses: { snap: {} } }),
            /^snapshotClasses: there is no such input; did you mean storage\.snapshotClasses or cloudProvider\.cinderCsi\.snapshotClasses\?$/m,
        ],
        [
            "the controller beside the classes, and says where it belongs",
            () => said({ storageClasses, snapshotClasses: { snap: {} }, snapshotController: {} } as never),
            /storage\.snapshotController: there is no such input; did you mean snapshotController\?/,
        ],
    ] as const) {
        it(`refuse ${what}`, () => match(found(), expected));
    }
});

describe("the rules of StorageClasses of their own", () => {
    const ownSaid = (changes: object) =>
        problems("StorageClasses", {
            vim: {},
            server: "10.0.0.31",
            classes: { fast: { export: "/exports/data" } },
            ...changes,
        }).join("\n");

    it("allow addresses and names of servers", () => {
        for (const server of ["10.0.0.31", "fd00::31", "nfs.site"]) deepStrictEqual(ownSaid({ server }), "");
    });

    for (const [what, changes, expected] of [
        ["no server", { server: "" }, /^server: "" is no address and no name of an NFS server$/],
        ["a server by URL", { server: "nfs://10.0.0.31/exports" }, /^server: "nfs:.*is no address and no name/],
        [
            "images by URL",
            { nfsCsi: { imageRepository: "https://r.site" } },
            /^nfsCsi\.imageRepository: must be a registry and path/,
        ],
        [
            "the controller's images by URL",
            { snapshotClasses: { snap: {} }, snapshotController: { imageRepository: "https://r.site" } },
            /^snapshotController\.imageRepository: must be a registry and path, such as/,
        ],
    ] as const) {
        it(`refuse ${what}`, () => match(ownSaid(changes), expected));
    }
});

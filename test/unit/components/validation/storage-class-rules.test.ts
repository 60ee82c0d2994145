import { deepStrictEqual, match } from "node:assert/strict";
import type { NfsStorageClassArgs, StorageArgs } from "../../../../components/storage-args";
import { problems } from "../../../../components/validate";
import { clusterArgs } from "../sample-args";

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
        ["two defaults", () => said({ storageClasses: { ...fast, slow: fast.fast } }), /only one can be the default/],
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

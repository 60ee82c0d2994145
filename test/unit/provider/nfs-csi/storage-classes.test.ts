import { deepStrictEqual, ok } from "node:assert/strict";
import { folderName, nfsStorageClass } from "../../../../provider/nfs-csi/storage-classes";

const spec = {
    server: "10.0.0.31",
    share: "/exports/fast",
    reclaimPolicy: "Delete",
    onDelete: "archive",
    isDefault: false,
    mountOptions: ["hard", "nfsvers=4.1"],
};

describe("a storage class over NFS", () => {
    it("gives each claim a folder of its own in the export", () => {
        deepStrictEqual(nfsStorageClass("fast", spec), {
            apiVersion: "storage.k8s.io/v1",
            kind: "StorageClass",
            metadata: { name: "fast", annotations: { "storageclass.kubernetes.io/is-default-class": "false" } },
            provisioner: "nfs.csi.k8s.io",
            parameters: { server: "10.0.0.31", share: "/exports/fast", subDir: folderName, onDelete: "archive" },
            reclaimPolicy: "Delete",
            volumeBindingMode: "Immediate",
            allowVolumeExpansion: true,
            mountOptions: ["hard", "nfsvers=4.1"],
        });
    });

    it("never names a folder within a folder: the driver would remove that, too, when it is empty", () => {
        ok(!folderName.includes("/"));
    });

    it("sets the mode of folders only where it is asked for", () => {
        const { parameters } = nfsStorageClass("open", { ...spec, mode: "0777" }) as any;
        deepStrictEqual(parameters.mountPermissions, "0777");
    });
});

import type * as pulumi from "@pulumi/pulumi";
import { nfsCsiDriver } from "../../provider/nfs-csi/driver";
import { nfsStorageClass } from "../../provider/nfs-csi/storage-classes";
import type { KubeObject } from "../../provider/vim";
import type { NfsCsiArgs, NfsStorageClassArgs } from "../args/storage-args";

export const storageClassDefaults = {
    reclaimPolicy: "Delete",
    onDelete: "archive",
    /** Version 3 would need a lock manager beside the driver, which its image does not have. */
    mountOptions: ["hard", "nfsvers=4.1"],
    timeoutSeconds: 300,
};

/** The classes by name, and the objects of the driver that serves them, with or without snapshots. Pure. The address may be an input: it is only moved. */
export function storageClassObjects(
    classes: Record<string, NfsStorageClassArgs>,
    server: pulumi.Input<string>,
    { enabled = true, imageRepository }: NfsCsiArgs = {},
    snapshots = false,
): { classes: Record<string, KubeObject>; driver: KubeObject[] } {
    const made = Object.entries(classes).map(([name, given]) => [name, classOf(name, given, server)] as const);
    return {
        classes: Object.fromEntries(made),
        driver:
            enabled && made.length > 0
                ? nfsCsiDriver({ snapshots, ...(imageRepository !== undefined && { imageRepository }) })
                : [],
    };
}

function classOf(name: string, given: NfsStorageClassArgs, server: pulumi.Input<string>): KubeObject {
    const { reclaimPolicy = storageClassDefaults.reclaimPolicy, mode } = given;
    // The folder of a volume with Retain stays also when somebody deletes the volume itself.
    const onDelete = reclaimPolicy === "Retain" ? "retain" : (given.onDelete ?? storageClassDefaults.onDelete);
    return nfsStorageClass(name, {
        server: server as string,
        share: given.export,
        reclaimPolicy,
        onDelete,
        isDefault: given.isDefault ?? false,
        mountOptions: given.mountOptions ?? storageClassDefaults.mountOptions,
        ...(mode !== undefined && { mode }),
    });
}

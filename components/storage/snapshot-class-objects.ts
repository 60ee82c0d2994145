import { driverName as cinderDriver } from "../../provider/cloud-provider/cinder-csi";
import { driverName as nfsDriver } from "../../provider/nfs-csi/driver";
import { volumeSnapshotClass } from "../../provider/snapshots/classes";
import { snapshotController } from "../../provider/snapshots/controller";
import { snapshotDefinitions } from "../../provider/snapshots/definitions";
import type { KubeObject } from "../../provider/vim";
import type { SnapshotClassArgs, SnapshotControllerArgs } from "../args/snapshot-args";

type Classes = Record<string, SnapshotClassArgs>;

export const snapshotClassDefaults = { deletionPolicy: "Delete" };

/** Snapshot classes by name, for each driver. */
export interface SnapshotClasses {
    nfs?: Classes | undefined;
    cinder?: Classes | undefined;
}

/** Whether there are any: without them a cluster gets neither the driver, nor anything of snapshots. */
export function hasClasses(classes: Readonly<Record<string, object>> | undefined): boolean {
    return Object.keys(classes ?? {}).length > 0;
}

/** The classes, and what snapshots need whatever the driver. Pure. */
export function snapshotClassObjects(
    { nfs = {}, cinder = {} }: SnapshotClasses,
    { enabled = true, imageRepository }: SnapshotControllerArgs = {},
): { classes: Record<string, KubeObject>; definitions: KubeObject[]; controller: KubeObject[] } {
    const objectsOf = (classes: Classes, driver: string, parameters?: Record<string, string>) =>
        Object.entries(classes).map(([name, { deletionPolicy, isDefault = false }]) => {
            const spec = { driver, isDefault, ...(parameters && { parameters }) };
            const policy = deletionPolicy ?? snapshotClassDefaults.deletionPolicy;
            return [name, volumeSnapshotClass(name, { ...spec, deletionPolicy: policy })] as const;
        });
    return {
        classes: Object.fromEntries([
            ...objectsOf(nfs, nfsDriver),
            // Cinder refuses a snapshot of a volume that a pod uses without this.
            ...objectsOf(cinder, cinderDriver, { "force-create": "true" }),
        ]),
        definitions: enabled ? snapshotDefinitions() : [],
        controller: enabled ? snapshotController({ ...(imageRepository !== undefined && { imageRepository }) }) : [],
    };
}

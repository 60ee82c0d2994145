import { driverName } from "./cinder-csi";

/** One StorageClass of Cinder. */
export interface StorageClassSpec {
    /** Volume type of the cloud. @default the cloud's own */
    volumeType?: string;
    /** Zone of Cinder. @default the driver's choice */
    availabilityZone?: string;
    /** File system. @default ext4 */
    fsType?: string;
    /** Claims that name no class get this one. */
    isDefault?: boolean;
    /** @default Delete */
    reclaimPolicy?: string;
    /** @default WaitForFirstConsumer */
    volumeBindingMode?: string;
}

/** Marks classes of ours: those that are not wanted any more are found by it. */
export const storageClassLabel = "pulumi-nfv.dev/storage-class";

/** One class of the cloud's own volume type, the default of the cluster. */
const defaultClasses: Record<string, StorageClassSpec> = { cinder: { isDefault: true } };

/** By name. Volumes grow when their claims do. */
export function storageClasses(classes: Record<string, StorageClassSpec> = defaultClasses): object[] {
    return Object.entries(classes)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { volumeType, availabilityZone, fsType, isDefault, reclaimPolicy, volumeBindingMode }]) => ({
            apiVersion: "storage.k8s.io/v1",
            kind: "StorageClass",
            metadata: {
                name,
                labels: { [storageClassLabel]: "cinder" },
                annotations: { "storageclass.kubernetes.io/is-default-class": String(isDefault ?? false) },
            },
            provisioner: driverName,
            parameters: {
                "csi.storage.k8s.io/fstype": fsType ?? "ext4",
                ...(volumeType !== undefined && { type: volumeType }),
                ...(availabilityZone !== undefined && { availability: availabilityZone }),
            },
            reclaimPolicy: reclaimPolicy ?? "Delete",
            volumeBindingMode: volumeBindingMode ?? "WaitForFirstConsumer",
            allowVolumeExpansion: true,
        }));
}

import { driverName } from "./cinder-csi";

/** One StorageClass for Cinder. */
export interface StorageClassSpec {
    /** Cinder volume type. @default the cloud's own */
    volumeType?: string;
    /** Cinder availability zone. @default the driver's choice */
    availabilityZone?: string;
    /** File system. @default ext4 */
    fsType?: string;
    /** Used for claims that name no class. */
    isDefault?: boolean;
    /** @default Delete */
    reclaimPolicy?: string;
    /** @default WaitForFirstConsumer */
    volumeBindingMode?: string;
}

/** Marks our storage classes. Those that the user no longer wants are found by it. */
export const storageClassLabel = "pulumi-nfv.dev/storage-class";

/** One class with the cloud's default volume type; the cluster's default class. */
const defaultClasses: Record<string, StorageClassSpec> = { cinder: { isDefault: true } };

/** Storage classes by name. Volumes may be expanded. */
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

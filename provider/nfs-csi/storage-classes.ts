import type { KubeObject } from "../vim";
import { driverName } from "./driver";

/** What a storage class promises to its claims. */
export interface NfsClassSpec {
    /** Address of the NFS server. May be an input: it is only moved. */
    server: string;
    /** Path of the export that holds the folders of its claims. */
    share: string;
    reclaimPolicy: string;
    /** What happens to a claim's folder when its volume is deleted: delete, archive, retain. */
    onDelete: string;
    isDefault: boolean;
    mountOptions: string[];
    /** Mode of the folders in octal; undefined: as the driver makes them. */
    mode?: string;
}

/**
 * Name of a claim's folder. The driver mounts the share and, when a volume is deleted, removes this folder from it, and after that all folders above
 * it that are empty. So the name has no slash: nothing but the claim's own folder is ever removed.
 */
export const folderName = "${pvc.metadata.namespace}-${pvc.metadata.name}-${pv.metadata.name}";

/** Fields that Kubernetes does not change in place: another value makes another class of the same name. */
export const fixedFields = ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"] as const;

export function nfsStorageClass(name: string, spec: NfsClassSpec): KubeObject {
    const { server, share, reclaimPolicy, onDelete, isDefault, mountOptions, mode } = spec;
    return {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": String(isDefault) } },
        provisioner: driverName,
        parameters: {
            server,
            share,
            subDir: folderName,
            onDelete,
            ...(mode !== undefined && { mountPermissions: mode }),
        },
        reclaimPolicy,
        volumeBindingMode: "Immediate",
        // Kubernetes changes this one in place.
        allowVolumeExpansion: true,
        mountOptions,
    };
}

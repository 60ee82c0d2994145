import { createHash } from "node:crypto";
import { namespace } from "../common/add-on-objects";
import { script } from "../shell/script-file";
import type { Observation } from "../steps/types";
import { cinderControllerName, cinderNodeName, driverName } from "./cinder-csi";
import { cloudControllerManagerName } from "./cloud-controller-manager";
import { mountsTemplate, objectsTemplate } from "./marks";
import { secretName } from "./objects";
import { storageClassLabel } from "./storage-classes";

/** By what ours.sh tells our objects from those of others. */
const ours = { OBJECTS_TEMPLATE: objectsTemplate };
const mounts = { NAMESPACE: namespace, MOUNTS_TEMPLATE: mountsTemplate };
const classes = { ...ours, CLASS_LABEL: storageClassLabel };

/** Applies the secret manifest and restarts the workloads that read the former one. */
export const applySecretScript = script("cloud-provider/apply-secret.sh", {
    ...ours,
    NAMESPACE: namespace,
    WORKLOADS: `daemonset/${cloudControllerManagerName} deployment/${cinderControllerName} daemonset/${cinderNodeName}`,
});

/** Applies the manifest of a part, unless others have made one of its objects. */
export const applyPartScript = script("cloud-provider/apply-part.sh", ours);

/** Applies the manifest of Cinder CSI, and takes its part in snapshots away where it is not wanted: not while there are snapshots. */
export const applyCinderCsiScript = script("cloud-provider/apply-cinder-csi.sh", {
    ...ours,
    CINDER_DRIVER: driverName,
});

/** Deletes what MANIFEST names and we made. It stays while Services have a load balancer. */
export const removeManagerScript = script("cloud-provider/remove-controller-manager.sh", ours);

/** Deletes what MANIFEST names and we made. It stays while volumes need the driver. */
export const removeCinderCsiScript = script("cloud-provider/remove-cinder-csi.sh", {
    ...ours,
    CINDER_DRIVER: driverName,
});

/** Deletes the Secret, unless a workload mounts it. */
export const removeSecretScript = script("cloud-provider/remove-secret.sh", {
    ...ours,
    ...mounts,
    SECRET_NAME: secretName,
});

/** Prints which workloads mount the Secret, one per line. */
export const mountingWorkloadsScript = script("cloud-provider/mounting-workloads.sh", mounts);

/** Looks which of our objects in MANIFEST are there although they were deleted. */
export const observeRemoved = { script: script("cloud-provider/observe-removed.sh", ours) };

/** Applies the storage classes in MANIFEST and deletes our other ones, which are not in CLASSES. */
export const storageClassesScript = script("cloud-provider/storage-classes.sh", classes);

/** Looks whether the storage classes are as they were applied, and no other ones of ours are there. */
export const observeStorageClasses = { script: script("cloud-provider/observe-storage-classes.sh", classes) };

/** Looks whether the Secret has this content, by a hash that a control-plane node makes of it. */
export function observeSecret(content: Record<string, string>): Observation {
    // as kubectl prints it
    const entries = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1));
    const data = Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
    return {
        script: script("cloud-provider/observe-secret.sh", { NAMESPACE: namespace, SECRET_NAME: secretName }),
        env: { HASH: createHash("sha256").update(JSON.stringify(data)).digest("hex") },
    };
}

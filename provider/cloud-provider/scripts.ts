import { script } from "../shell/script-file";
import { cinderControllerName, cinderNodeName } from "./cinder-csi";
import { cloudControllerManagerName } from "./cloud-controller-manager";
import { namespace } from "./objects";
import { storageClassLabel } from "./storage-classes";

/** Applies the secret manifest and restarts the workloads that read the former one. */
export const applySecretScript = script("cloud-provider/apply-secret.sh", {
    NAMESPACE: namespace,
    WORKLOADS: `daemonset/${cloudControllerManagerName} deployment/${cinderControllerName} daemonset/${cinderNodeName}`,
});

/** Applies the storage classes in MANIFEST and deletes our other ones, which are not in CLASSES. */
export const storageClassesScript = script("cloud-provider/storage-classes.sh", { LABEL: storageClassLabel });

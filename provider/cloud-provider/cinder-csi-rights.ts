import { clusterRights, localRights, rule } from "../common/add-on-objects";
import { restoreRules, snapshotterRules } from "../snapshots/rights";

export const controllerAccount = "csi-cinder-controller";
/** This account needs no rights. */
export const nodeAccount = "csi-cinder-node";

const read = ["get", "list", "watch"];
const storage = "storage.k8s.io";
const name = (part: string) => `pulumi-nfv:csi-cinder-${part}`;

/** What the sidecar for snapshots may do: it is there only with them. */
export function snapshotterRights(): object[] {
    return clusterRights(name("snapshotter"), controllerAccount, snapshotterRules);
}

/** What the sidecars of the controller may do: one role for each. */
export function cinderRights({ snapshots = false }: { snapshots?: boolean }): object[] {
    return [
        ...clusterRights(name("attacher"), controllerAccount, [
            rule("", "persistentvolumes", ...read, "patch"),
            rule("", "nodes", ...read),
            rule(storage, "csinodes", ...read),
            rule(storage, "volumeattachments", ...read, "patch"),
            rule(storage, "volumeattachments/status", "patch"),
        ]),
        ...clusterRights(name("provisioner"), controllerAccount, [
            rule("", "persistentvolumes", ...read, "create", "patch", "delete"),
            rule("", "persistentvolumeclaims", ...read, "update"),
            rule("", "nodes", ...read),
            rule("", "events", "list", "watch", "create", "update", "patch"),
            rule(storage, "storageclasses|csinodes|volumeattachments|volumeattributesclasses", ...read),
            ...(snapshots ? restoreRules : []),
        ]),
        ...(snapshots ? snapshotterRights() : []),
        ...clusterRights(name("resizer"), controllerAccount, [
            rule("", "persistentvolumes", ...read, "patch"),
            rule("", "persistentvolumeclaims", ...read),
            rule("", "persistentvolumeclaims/status", "patch"),
            rule("", "pods", ...read),
            rule("", "events", "list", "watch", "create", "update", "patch"),
            rule(storage, "storageclasses|volumeattributesclasses", ...read),
        ]),
        ...localRights(name("leases"), controllerAccount, name("leases"), [
            rule("coordination.k8s.io", "leases", ...read, "create", "update", "patch", "delete"),
        ]),
    ];
}

import { clusterRights, localRights, rule } from "../common/add-on-objects";
import { restoreRules, snapshotterRules } from "../snapshots/rights";

export const controllerAccount = "csi-nfs-controller";
/** This account needs no rights. */
export const nodeAccount = "csi-nfs-node";
/** The Leases by which the sidecars elect a leader; they name them after the driver. */
export const leaseNames = [
    "nfs-csi-k8s-io",
    "external-resizer-nfs-csi-k8s-io",
    "external-snapshotter-leader-nfs-csi-k8s-io",
];

const read = ["get", "list", "watch"];
const name = (part: string) => `pulumi-nfv:csi-nfs-${part}`;

/**
 * What the sidecars of the controller may do. The driver has no topology, so the provisioner reads no nodes; its classes name no Secrets, so it reads
 * none. It marks a claim that it clones.
 */
export function controllerRights({ snapshots = false }: { snapshots?: boolean }): object[] {
    const lease = "leases";
    return [
        ...clusterRights(name("provisioner"), controllerAccount, [
            rule("", "persistentvolumes", ...read, "create", "patch", "delete"),
            rule("", "persistentvolumeclaims", ...read, "update"),
            rule("storage.k8s.io", "storageclasses", ...read),
            rule("", "events", "create", "patch"),
            ...(snapshots ? restoreRules : []),
        ]),
        ...clusterRights(name("resizer"), controllerAccount, [
            rule("", "persistentvolumes", ...read, "patch"),
            rule("", "persistentvolumeclaims", ...read),
            rule("", "persistentvolumeclaims/status", "patch"),
            rule("", "events", "create", "patch"),
        ]),
        ...(snapshots ? clusterRights(name("snapshotter"), controllerAccount, snapshotterRules) : []),
        ...localRights(name("leases"), controllerAccount, name("leases"), [
            rule("coordination.k8s.io", lease, "create"),
            { ...rule("coordination.k8s.io", lease, "get", "update"), resourceNames: leaseNames },
        ]),
    ];
}

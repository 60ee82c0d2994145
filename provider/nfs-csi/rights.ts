import { clusterRights, localRights, rule } from "../add-on-objects";

export const controllerAccount = "csi-nfs-controller";
/** This account needs no rights. */
export const nodeAccount = "csi-nfs-node";
/** The Lease by which provisioners agree on one; they name it after the driver. */
export const leaseName = "nfs-csi-k8s-io";

const read = ["get", "list", "watch"];
const name = (part: string) => `pulumi-nfv:csi-nfs-${part}`;

/**
 * What the provisioner may do. The driver has no topology, so it reads no nodes; its classes name no Secrets, and neither snapshots nor clones are
 * offered, so it reads no Secrets and changes no claims.
 */
export function provisionerRights(): object[] {
    const lease = "leases";
    return [
        ...clusterRights(name("provisioner"), controllerAccount, [
            rule("", "persistentvolumes", ...read, "create", "patch", "delete"),
            rule("", "persistentvolumeclaims", ...read),
            rule("storage.k8s.io", "storageclasses", ...read),
            rule("", "events", "create", "patch"),
        ]),
        ...localRights(name("leases"), controllerAccount, name("leases"), [
            rule("coordination.k8s.io", lease, "create"),
            { ...rule("coordination.k8s.io", lease, "get", "update"), resourceNames: [leaseName] },
        ]),
    ];
}

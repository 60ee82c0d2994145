import { namespace } from "../common/add-on-objects";
import { driverName } from "../nfs-csi/driver";
import { controllerAccount } from "../nfs-csi/rights";
import { list, type Policy, text } from "./policy";
import type { TenantsSpec } from "./tenants-spec";

/** Who may delete the policy is not held back by it: the administrators of the cluster, as whom the program acts. */
const administrator =
    "authorizer.group('admissionregistration.k8s.io').resource('validatingadmissionpolicies').check('delete').allowed()";
const driver = `request.userInfo.username == ${text(`system:serviceaccount:${namespace}:${controllerAccount}`)}`;

/** The driver does not care how the name of an attribute is spelled. */
const servers = (attributes: string) =>
    `${attributes}.filter(name, name.lowerAscii() == 'server').map(name, ${attributes}[name])`;

/** An IPv4 address in a form that only the C library knows: "10.0.3", "0x0a000003", "012.0.0.3". */
const oddNumber = "(0[xX][0-9a-fA-F]*|[0-9]+)";
const oddAddress = `^${oddNumber}([.]${oddNumber}){0,3}$`;

/**
 * PersistentVolumes and storage classes for the storage server come from the program: one by another administrator of storage would hand a namespace the data
 * of another. A server by name is not seen: it may mean any address.
 */
export function storagePolicy({ storageServers }: TenantsSpec): Policy {
    const volume = "object.spec";
    const attributes = `${volume}.csi.volumeAttributes`;
    const ours = storageServers.join(", ");
    return {
        name: "pulumi-nfv-storage",
        requests: [
            { apiGroup: "", resources: ["persistentvolumes"], operations: ["CREATE"] },
            { apiGroup: "storage.k8s.io", resources: ["storageclasses"], operations: ["CREATE"] },
        ],
        exempt: `${driver} || ${administrator}`,
        variables: {
            servers: [
                `(has(object.spec) && has(${volume}.nfs) ? [${volume}.nfs.server] : [])`,
                `(has(object.spec) && has(${volume}.csi) && has(${attributes}) ? ${servers(attributes)} : [])`,
                // The driver deletes the folder that a volume's handle names: "server#share#folder#…".
                `(has(object.spec) && has(${volume}.csi) && ${volume}.csi.driver == ${text(driverName)} ? [${volume}.csi.volumeHandle.split('#')[0]] : [])`,
                `(has(object.parameters) ? ${servers("object.parameters")} : [])`,
            ].join(" + "),
        },
        rules: [
            {
                expression: `variables.servers.all(server, isIP(server) ? !${list(storageServers)}.exists(ours, ip(ours) == ip(server)) : !server.matches(${text(oddAddress)}))`,
                message: `only the program of this cluster makes volumes and classes for its storage server (${ours}); write other addresses in their usual form`,
            },
        ],
    };
}

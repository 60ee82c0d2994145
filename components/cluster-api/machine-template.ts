import type { WorkloadMachineArgs } from "../args/workload-inputs";
import { contentName } from "./content-name";
import type { WorkloadSpec } from "./workload-spec";

export const openStackGroup = "infrastructure.cluster.x-k8s.io";
export const openStackVersion = `${openStackGroup}/v1beta1`;

export interface Named {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace: string; [field: string]: unknown };
    [field: string]: unknown;
}

/** How CAPO looks for something: an id is used as it is, a name is asked for. */
export function byNameOrId(nameOrId: string): object {
    return isUuid(nameOrId) ? { id: nameOrId } : { filter: { name: nameOrId } };
}

/** In the form in which clouds print ids: any other text is a name. */
function isUuid(text: string): boolean {
    return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The servers of the control plane or of a pool. Its name contains a hash of its content. */
export function machineTemplate(cluster: WorkloadSpec, role: string, machine: WorkloadMachineArgs): Named {
    const spec = machineSpec(cluster, machine);
    return {
        apiVersion: openStackVersion,
        kind: "OpenStackMachineTemplate",
        metadata: { name: contentName(`${cluster.name}-${role}`, spec), namespace: cluster.namespace },
        spec: { template: { spec } },
    };
}

function machineSpec({ openstack, network }: WorkloadSpec, machine: WorkloadMachineArgs): object {
    const { rootVolume, securityGroups, serverGroup } = machine;
    return {
        flavor: machine.flavor,
        image: byNameOrId(machine.image),
        ...(openstack.sshKeyName !== undefined && { sshKeyName: openstack.sshKeyName }),
        // With `bridge`, packets of pods leave a server with the pods' own addresses.
        ...(network.cni === "bridge" && { ports: [{ allowedAddressPairs: [{ ipAddress: network.podCidr }] }] }),
        ...(rootVolume && {
            rootVolume: {
                sizeGiB: rootVolume.sizeGiB,
                ...(rootVolume.type !== undefined && { type: rootVolume.type }),
                ...(rootVolume.availabilityZone !== undefined && {
                    availabilityZone: { from: "Name", name: rootVolume.availabilityZone },
                }),
            },
        }),
        ...(securityGroups && { securityGroups: securityGroups.map(byNameOrId) }),
        ...(serverGroup !== undefined && { serverGroup: byNameOrId(serverGroup) }),
        ...(openstack.tags && { tags: openstack.tags }),
        ...machine.machineSpec,
    };
}

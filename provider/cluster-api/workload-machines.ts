import { conditionOf, type Seen, type WorkloadSeen } from "./workload-seen";

/** A machine of a workload cluster, for the program's output. */
export interface WorkloadMachine {
    name: string;
    /** "control-plane", or the name of its MachineDeployment. */
    role: string;
    /** "Running", "Provisioning", "Deleting" … */
    phase: string;
    ready: boolean;
    /** Name of its node; "" until it has joined. */
    node: string;
    /** Id of its server in the cloud; "" until there is one. */
    serverId: string;
    /** The first internal address; "" until there is one. */
    address: string;
    /** "v1.36.3" */
    version: string;
}

export const isControlPlane = ({ metadata }: Seen) => metadata.labels?.["cluster.x-k8s.io/control-plane"] !== undefined;

export function machinesOf({ machines }: WorkloadSeen): WorkloadMachine[] {
    return machines.map(machine => {
        const { metadata, spec, status } = machine;
        const labels = metadata.labels ?? {};
        const addresses = status?.addresses ?? [];
        return {
            name: metadata.name,
            role: isControlPlane(machine) ? "control-plane" : (labels["cluster.x-k8s.io/deployment-name"] ?? ""),
            phase: status?.phase ?? "",
            ready: conditionOf(machine, "Ready")?.status === "True",
            node: status?.nodeRef?.name ?? "",
            // "openstack:///ID", with the region before the last slash where CAPO knows it
            serverId: /^\w+:\/\/.*\/([^/]+)$/.exec(spec?.providerID ?? "")?.[1] ?? "",
            address: addresses.find(({ type }) => type === "InternalIP")?.address ?? "",
            version: spec?.version ?? "",
        };
    });
}

import type { PlaceOutputs, Value } from "../hot/types";
import type { ServerPlan } from "../plan/server-plan";
import { getAttribute, getResource, type HeatPart } from "./heat-parts";
import { portName } from "./heat-server";

/** Outputs for a server beside the stack. */
export const placeOutputs = {
    network: "storage_network_id",
    subnet: "storage_subnet_id",
    securityGroups: "storage_security_group_ids",
    externalNetwork: "storage_external_network_id",
} satisfies PlaceOutputs;

/** The network that a port is in, by its address of this number. The plug-in reads texts only, so ids are joined. */
export function placeOfPort(port: string, address: number): Record<string, Value> {
    return {
        [placeOutputs.network]: getAttribute(port, "network_id"),
        [placeOutputs.subnet]: getAttribute(port, "fixed_ips", address, "subnet_id"),
        [placeOutputs.securityGroups]: { list_join: [",", getAttribute(port, "security_groups")] },
    };
}

/** In our template: the nodes' network, and the cluster's security group without those that nodes have in addition. */
export function placePart({ servers }: ServerPlan): HeatPart {
    const [first] = servers;
    const values = {
        ...placeOfPort(portName(first!.key, 1), 0),
        [placeOutputs.securityGroups]: getResource("security_group"),
    };
    return {
        resources: {},
        outputs: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
    };
}

import type { HookNode } from "../contract";
import { type JsonObject, merged } from "./merge";
import type { TackerSettings } from "./settings";
import { idOf } from "./uuid";

/** A node of the cluster is a VNFC of the VNF: how Tacker names it and what belongs to it. */

/** What scales together: the control-plane nodes, or a pool. */
export function groupOf({ role, pool }: HookNode): string {
    return role === "controlPlane" ? role : (pool ?? role);
}

export function vduIdOf(node: HookNode, { vdus = {} }: TackerSettings): string {
    return vdus[groupOf(node)] ?? groupOf(node);
}

export function aspectIdOf(node: HookNode, settings: TackerSettings): string {
    return settings.aspects?.[groupOf(node)] ?? vduIdOf(node, settings);
}

/** Where its server is. */
export function resourceOf(clusterId: string, { name, serverId }: HookNode, settings: TackerSettings): JsonObject {
    const [vim] = Object.keys(settings.vimConnectionInfo ?? {});
    return {
        ...(vim !== undefined && { vimConnectionId: vim }),
        // A machine that exists has no id in a cloud, but scripts compare these ids.
        resourceId: serverId ?? idOf(clusterId, "server", name),
        vimLevelResourceType: "OS::Nova::Server",
    };
}

/** Entry of vnfcResourceInfo. `vnfcs` of the settings is merged into it. @see SOL 003, type VnfcResourceInfo */
export function vnfcResourceInfo(clusterId: string, node: HookNode, settings: TackerSettings): JsonObject {
    const id = vnfcIdOf(clusterId, node);
    const { stack } = settings;
    const info = {
        id,
        vduId: vduIdOf(node, settings),
        computeResource: resourceOf(clusterId, node, settings),
        storageResourceIds: [],
        vnfcCpInfo: connectionPoints(id, node, settings),
        // Tacker's form: name and id of the stack that has the server.
        metadata: stack === undefined ? {} : { stack_id: `${stack.name}/${stack.id}` },
    };
    return merged(info, settings.vnfcs?.[node.name]);
}

/** Entry of vnfcInfo. Its id is what requests to heal name. @see SOL 002, type VnfcInfo */
export function vnfcInfo(clusterId: string, node: HookNode, settings: TackerSettings): JsonObject {
    return {
        id: vnfcInstanceId(clusterId, node, settings),
        vduId: vduIdOf(node, settings),
        vnfcResourceInfoId: vnfcIdOf(clusterId, node),
        vnfcState: "STARTED",
    };
}

/** Tacker puts VDU and id together: "workers-6f…". */
export function vnfcInstanceId(clusterId: string, node: HookNode, settings: TackerSettings): string {
    return `${vduIdOf(node, settings)}-${vnfcIdOf(clusterId, node)}`;
}

const vnfcIdOf = (clusterId: string, { name }: HookNode) => idOf(clusterId, "vnfc", name);

function connectionPoints(id: string, node: HookNode, settings: TackerSettings): JsonObject[] {
    const { address } = node;
    if (address === undefined) return [];
    const cpdId = settings.connectionPoints?.[groupOf(node)] ?? `${vduIdOf(node, settings)}_CP1`;
    const ipAddresses = [{ type: address.includes(":") ? "IPV6" : "IPV4", addresses: [address] }];
    const cpProtocolInfo = [{ layerProtocol: "IP_OVER_ETHERNET", ipOverEthernet: { ipAddresses } }];
    return [{ id: `${cpdId}-${id}`, cpdId, cpProtocolInfo }];
}

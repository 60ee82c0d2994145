import { flatOutputs, flatResources, functionCall, writeYaml } from "../hot";
import { flatTemplate } from "../hot/flat-template";
import { templateError } from "../hot/places";
import type { ExpandedNode, ExpandedStack, PlaceOutputs, Value, ValueMap } from "../hot/types";
import { placeOfPort, placeOutputs } from "./heat-place";

const orMachine = "Or give storage.server.address, of a machine that exists, in the place of flavor.";

/**
 * The user's stack with outputs for a server beside it: it joins the first control-plane node in its network, with the security groups of
 * that node's port, and gets a floating IP where that node has one. `isReached`: a jump host leads into the network.
 * @throws INVALID_INPUT if the template does not say where that is
 */
export function withPlace(stack: ExpandedStack, isReached: boolean): ExpandedStack {
    const node = stack.nodes.find(({ role }) => role === "controlPlane")!;
    const external = isReached ? {} : externalNetwork(stack, node);
    const values: Record<string, Value> = { ...nodesNetwork(stack, node), ...external };
    const hot = flatTemplate(stack.template);
    const outputs = (hot["outputs"] ?? {}) as ValueMap;
    const taken = Object.keys(values).find(name => Object.hasOwn(outputs, name));
    if (taken !== undefined) throw templateError(undefined, `the output ${taken} is one of ours`, "Rename it.");
    const ours = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
    const names = Object.entries(placeOutputs).filter(([, name]) => Object.hasOwn(values, name));
    return {
        ...stack,
        template: writeYaml({ ...hot, outputs: { ...outputs, ...ours } }),
        place: Object.fromEntries(names) as unknown as PlaceOutputs,
    };
}

/** The port may be that of the node's address, or of the server whose first address it is. */
function nodesNetwork(stack: ExpandedStack, node: ExpandedNode): Record<string, Value> {
    const [name = "", attribute, number] = attributeOf(stack, node.outputs.address);
    const resources = flatResources(stack);
    const ofServer = attribute === "first_address" ? firstPort(resources[name]?.properties["networks"]) : undefined;
    const port = ofServer ?? name;
    if (resources[port]?.type === "OS::Neutron::Port") {
        return placeOfPort(port, attribute === "fixed_ips" ? Number(number) : 0);
    }
    throw templateError(
        undefined,
        `storage.server.flavor: the network for the storage server is not known: the address of ${node.name} is not that of a port ` +
            "(OS::Neutron::Port) of infrastructure.heat.template",
        `Give the server ${node.resource} such a port: networks: [{ port: { get_resource: PORT } }], and let its address be ` +
            `{ get_attr: [PORT, fixed_ips, 0, ip_address] }. ${orMachine}`,
    );
}

function externalNetwork(stack: ExpandedStack, node: ExpandedNode): Record<string, Value> {
    if (node.outputs.sshAddress === undefined) return {};
    const [name = "", attribute] = attributeOf(stack, node.outputs.sshAddress);
    const isFloating = flatResources(stack)[name]?.type === "OS::Neutron::FloatingIP";
    if (isFloating && attribute === "floating_ip_address") {
        return { [placeOutputs.externalNetwork]: { get_attr: [name, "floating_network_id"] } };
    }
    throw templateError(
        undefined,
        `storage.server.flavor: how SSH reaches the storage server is not known: it reaches ${node.name} at an address that is no floating IP ` +
            "(OS::Neutron::FloatingIP) of infrastructure.heat.template",
        `Give infrastructure.heat.ssh.jump, a host that reaches the nodes' network. ${orMachine}`,
    );
}

/** Resource and path of an output that shows an attribute. */
function attributeOf(stack: ExpandedStack, output: string): string[] {
    const call = functionCall(flatOutputs(stack)[output] ?? null);
    return call?.name === "get_attr" ? (call.argument as Value[]).map(String) : [];
}

function firstPort(networks: Value | undefined): string | undefined {
    const first = Array.isArray(networks) ? (networks[0] as ValueMap | undefined) : undefined;
    const call = functionCall(first?.["port"] ?? null);
    return call?.name === "get_resource" ? String(call.argument) : undefined;
}

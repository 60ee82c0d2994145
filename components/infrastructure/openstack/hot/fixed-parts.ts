import { type FlatResource, flatOutputs, flatResources } from "./flat-resources";
import { asCall } from "./functions";
import type { ExpandedStack, Value } from "./types";

/**
 * By type, the properties whose change makes Heat replace the resource, or gives a node's server another image, size or
 * address in place. Heat changes all others without harm. Source: the properties that Heat's resource plug-ins do not
 * declare `update_allowed`.
 */
const fixed: Record<string, readonly string[]> = {
    "OS::Nova::Server": [
        ...["image", "flavor", "networks", "block_device_mapping", "block_device_mapping_v2", "key_name", "admin_user"],
        ...["availability_zone", "security_groups", "scheduler_hints", "user_data_format", "reservation_id"],
        ...["config_drive", "diskConfig", "personality"],
    ],
    "OS::Neutron::Port": ["network", "network_id", "fixed_ips", "mac_address", "binding:vnic_type", "no_fixed_ips"],
    "OS::Neutron::Net": ["tenant_id", "availability_zone_hints"],
    "OS::Neutron::Subnet": [
        ...["network", "network_id", "subnetpool", "prefixlen", "cidr", "ip_version", "tenant_id"],
        ...["ipv6_ra_mode", "ipv6_address_mode"],
    ],
    "OS::Neutron::SecurityGroup": [],
    "OS::Neutron::Router": ["distributed", "ha"],
    "OS::Neutron::RouterInterface": ["router", "router_id", "subnet", "subnet_id", "port", "port_id"],
    "OS::Neutron::FloatingIP": ["floating_network", "floating_network_id", "floating_subnet", "floating_ip_address"],
    "OS::Neutron::FloatingIPAssociation": ["floatingip_id", "port_id"],
    "OS::Cinder::VolumeAttachment": ["volume_id", "instance_uuid"],
    "OS::Cinder::Volume": [
        ...["availability_zone", "image", "imageRef", "snapshot_id", "source_volid", "backup_id"],
        ...["scheduler_hints", "multiattach"],
    ],
    "OS::Nova::ServerGroup": ["name", "policies", "rules"],
    "OS::Nova::KeyPair": ["name", "save_private_key", "public_key", "type", "user"],
};

/** By type, the properties by which a resource uses a part; without it, servers lose a way in or out. */
const users: Record<string, readonly string[]> = {
    "OS::Neutron::Subnet": ["network", "network_id"],
    "OS::Neutron::RouterInterface": ["subnet", "subnet_id", "port", "port_id"],
    "OS::Neutron::FloatingIP": ["port_id"],
    "OS::Neutron::FloatingIPAssociation": ["port_id"],
    "OS::Cinder::VolumeAttachment": ["instance_uuid"],
};

/** Of these, one that goes takes the servers' way with it. The others may be taken away on purpose. */
const ways = ["OS::Neutron::Subnet", "OS::Neutron::RouterInterface"];

/**
 * What the nodes' servers and the API's address are made of: `<resource>/<property>` → value, for each server, each resource to which
 * a fixed property of it leads, and what connects these; `<resource>/used by <other>` for the latter. A changed value means that Heat
 * replaces or disconnects a server. `later`: parameters that are not known yet.
 */
export function fixedParts<V>(
    stack: Pick<ExpandedStack, "template" | "parameters" | "nodes" | "vip">,
    later: Record<string, V> = {},
): Record<string, V | Value> {
    const resources = flatResources<V>(stack, later);
    const plain = flatResources(stack);
    const vip = addressOfApi(stack);
    const found = reached([...stack.nodes.map(({ resource }) => resource), ...Object.values(vip).flat()], plain);
    const connected = usersOf(found, plain);
    const all = reached([...found, ...connected.map(([user]) => user)], plain);
    const parts = all.flatMap(name =>
        Object.entries(fixedOf(resources[name]!)).map(([property, value]) => [`${name}/${property}`, value]),
    );
    return {
        ...Object.fromEntries(parts),
        ...Object.fromEntries(
            connected
                .filter(([user]) => ways.includes(plain[user]!.type))
                .map(([user, part]) => [`${part}/used by ${user}`, true]),
        ),
        ...(Object.keys(vip).length > 0 && { "vip/type": "vip" }),
        ...Object.fromEntries(Object.entries(vip).map(([output, names]) => [`vip/${output}`, names])),
    };
}

/** Other resources than its own that the server of each node leads to: a new one of them makes Heat replace the server, too. */
export function leadsTo(stack: Pick<ExpandedStack, "template" | "parameters" | "nodes">): Map<string, string[]> {
    const resources = flatResources(stack);
    return new Map(stack.nodes.map(({ name, resource }) => [name, reached([resource], resources)]));
}

/** The resources behind the outputs of the API's virtual address. */
function addressOfApi(stack: Pick<ExpandedStack, "template" | "vip">): Record<string, string[]> {
    if (stack.vip === undefined) return {};
    const outputs = flatOutputs(stack);
    return Object.fromEntries(
        Object.entries(stack.vip).map(([key, output]) => [key, references(outputs[output] ?? null).sort()]),
    );
}

/** [user, part] for each resource that uses one of the parts. */
function usersOf(parts: readonly string[], resources: Record<string, FlatResource<Value>>): [string, string][] {
    return Object.entries(resources).flatMap(([name, { type, properties }]) => {
        const names = Object.hasOwn(users, type) ? users[type]! : [];
        const used = names.flatMap(property => references(properties[property] ?? null));
        return [...new Set(used)].filter(part => parts.includes(part)).map((part): [string, string] => [name, part]);
    });
}

function fixedOf<V>({ type, properties, condition }: FlatResource<V>): Record<string, V | string> {
    // Another user data is for new servers only, unless the template wants it otherwise.
    const policy = properties["user_data_update_policy"];
    const replaces = type === "OS::Nova::Server" && policy !== undefined && policy !== "IGNORE";
    // Of a type that is not in the table, any property may be fixed.
    const table = Object.hasOwn(fixed, type) ? fixed[type] : undefined;
    const given = Object.entries(properties).filter(
        ([name]) => (table?.includes(name) ?? true) || (replaces && name === "user_data"),
    );
    return { type, ...Object.fromEntries(given), ...(condition !== undefined && { condition }) };
}

/** The resources, and those to which their fixed properties lead. */
function reached(first: readonly string[], resources: Record<string, FlatResource<Value>>): string[] {
    const found = new Set<string>();
    const open = [...first];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
        if (found.has(name) || !Object.hasOwn(resources, name)) continue;
        found.add(name);
        open.push(...references(Object.values(fixedOf(resources[name]!))));
    }
    return [...found].sort();
}

function references(value: Value): string[] {
    const call = asCall(value);
    if (call?.name === "get_resource" || call?.name === "get_attr") {
        const [name, ...path] = Array.isArray(call.argument) ? call.argument : [call.argument];
        return [String(name), ...path.flatMap(references)];
    }
    return value === null || typeof value !== "object" ? [] : Object.values(value).flatMap(references);
}

import { type FlatResource, flatResources } from "./flat-resources";
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
    "OS::Cinder::Volume": [
        ...["availability_zone", "image", "imageRef", "snapshot_id", "source_volid", "backup_id"],
        ...["scheduler_hints", "multiattach"],
    ],
    "OS::Nova::ServerGroup": ["name", "policies", "rules"],
    "OS::Nova::KeyPair": ["name", "save_private_key", "public_key", "type", "user"],
};

/**
 * What the nodes' servers are made of: `<resource>/<property>` → value, for each server and each resource to which a fixed property of
 * it leads. A changed value means that Heat replaces or disconnects a server. `later`: parameters that are not known yet.
 */
export function fixedParts<V>(
    stack: Pick<ExpandedStack, "template" | "parameters" | "nodes">,
    later: Record<string, V> = {},
): Record<string, V | Value> {
    const resources = flatResources<V>(stack, later);
    const names = reached(
        stack.nodes.map(({ resource }) => resource),
        flatResources(stack),
    );
    return Object.fromEntries(
        names.flatMap(name =>
            Object.entries(fixedOf(resources[name]!)).map(([property, value]) => [`${name}/${property}`, value]),
        ),
    );
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

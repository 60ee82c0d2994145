import { parse } from "yaml";
import { asCall } from "./functions";
import type { ExpandedStack, Value, ValueMap } from "./types";

/** Types that deleteProtection protects, and their properties that Heat changes only by a replacement. */
const kinds: Record<string, readonly string[]> = {
    "OS::Cinder::Volume": [
        ...["availability_zone", "image", "imageRef", "snapshot_id", "source_volid"],
        ...["scheduler_hints", "multiattach"],
    ],
    "OS::Manila::Share": ["share_protocol", "size", "share_network", "share_type", "snapshot"],
    "OS::Nova::Server": [],
    "OS::Neutron::Net": [],
};

/**
 * Resources of a flat template that contain data or the servers' network, without the nodes' own servers: name → type and all values
 * whose change would replace it. Those that Heat retains when they leave the template are left out.
 */
export function keptResources({ template, parameters, nodes }: ExpandedStack): Record<string, string> {
    const hot = parse(template) as ValueMap;
    const declared = (hot["parameters"] ?? {}) as Record<string, ValueMap>;
    const conditions = (hot["conditions"] ?? {}) as ValueMap;
    const parameter = (name: string): Value | undefined => parameters[name] ?? declared[name]?.["default"];
    const servers = new Set(nodes.map(({ resource }) => resource));
    return Object.fromEntries(
        Object.entries((hot["resources"] ?? {}) as Record<string, ValueMap>).flatMap(([name, resource]) => {
            const { type, properties = {}, condition, deletion_policy: policy } = resource;
            const fixed = kinds[type as string];
            if (fixed === undefined || servers.has(name) || /^retain$/i.test(String(policy))) return [];
            const given = Object.entries(properties as ValueMap).filter(([key]) => fixed.includes(key));
            const when = typeof condition === "string" ? (conditions[condition] ?? condition) : condition;
            const all = [...given, ...(when === undefined ? [] : ([["condition", when]] as [string, Value][]))];
            const words = all.map(([key, value]) => `${key}=${JSON.stringify(withValues(value, parameter))}`);
            return [[name, [type as string, ...words.sort()].join(" ")]];
        }),
    );
}

/** With the values of parameters inserted, as far as they are known. */
function withValues(value: Value, parameter: (name: string) => Value | undefined): Value {
    const call = asCall(value);
    if (call?.name === "get_param" && typeof call.argument === "string") return parameter(call.argument) ?? value;
    if (Array.isArray(value)) return value.map(each => withValues(each, parameter));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withValues(each, parameter)]));
}

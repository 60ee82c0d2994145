import { flatResources } from "./flat-resources";
import type { ExpandedStack, Value } from "./types";

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
export function keptResources(stack: ExpandedStack): Record<string, string> {
    const servers = new Set(stack.nodes.map(({ resource }) => resource));
    return Object.fromEntries(
        Object.entries(flatResources(stack)).flatMap(([name, resource]) => {
            const { type, properties, condition, deletionPolicy } = resource;
            const fixed = kinds[type];
            if (fixed === undefined || servers.has(name) || /^retain$/i.test(String(deletionPolicy))) return [];
            const given = Object.entries(properties).filter(([key]) => fixed.includes(key));
            const all: [string, Value][] = [
                ...given,
                ...(condition === undefined ? [] : [["condition", condition] as [string, Value]]),
            ];
            const words = all.map(([key, value]) => `${key}=${JSON.stringify(value)}`);
            return [[name, [type, ...words.sort()].join(" ")]];
        }),
    );
}

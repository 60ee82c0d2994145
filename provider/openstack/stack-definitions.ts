import { isDeepStrictEqual } from "node:util";

export type Tree = { readonly [key: string]: unknown };

export interface Template extends Tree {
    resources?: Tree;
}

/** A template, and its parameters in the form in which Heat shows them. */
export interface DefinedStack {
    template: Template;
    parameters: Record<string, string>;
}

/** A resource as a stack defines it, with the values of its parameters. What Heat ignores in an update is left out. */
export function definitionOf(
    { template, parameters }: DefinedStack,
    name: string,
): { readonly type?: string; readonly properties: Tree } {
    const { properties = {}, ...others } = (template.resources?.[name] ?? {}) as { type?: string; properties?: Tree };
    const { user_data, ...kept } = properties;
    const ignored = kept["user_data_update_policy"] === "IGNORE";
    const whole = { ...others, properties: ignored || user_data === undefined ? kept : { ...kept, user_data } };
    return withParameters(whole, parameters) as ReturnType<typeof definitionOf>;
}

function withParameters(value: unknown, parameters: Record<string, string>): unknown {
    if (Array.isArray(value)) return value.map(each => withParameters(each, parameters));
    if (value === null || typeof value !== "object") return value;
    const { get_param: path } = value as Tree;
    const name = Array.isArray(path) ? path[0] : path;
    const given = typeof name === "string" ? { value: parameters[name] ?? null } : {};
    const entries = Object.entries(value).map(([key, each]) => [key, withParameters(each, parameters)]);
    return { ...Object.fromEntries(entries), ...given };
}

export function isSame(one: DefinedStack, other: DefinedStack, name: string): boolean {
    return isDeepStrictEqual(definitionOf(one, name), definitionOf(other, name));
}

/** Names of the resources that a value uses, by these functions. */
export function* referencesIn(value: unknown, functions = ["get_resource", "get_attr"]): Generator<string> {
    if (value === null || typeof value !== "object") return;
    for (const name of functions) {
        const [resource] = [(value as Tree)[name]].flat();
        if (typeof resource === "string") yield resource;
    }
    for (const each of Object.values(value)) yield* referencesIn(each, functions);
}

/** What nodes live on, and the properties that Heat changes in place although a node loses its machine, disk or address by it. */
const inPlace: Record<string, readonly string[]> = {
    "OS::Nova::Server": ["image", "flavor", "networks", "block_device_mapping", "block_device_mapping_v2"],
    "OS::Neutron::Port": ["fixed_ips", "network", "network_id", "mac_address"],
    "OS::Neutron::FloatingIP": ["port_id", "floating_network", "floating_network_id"],
    "OS::Cinder::Volume": ["size", "image"],
    "OS::Cinder::VolumeAttachment": ["volume_id", "instance_uuid", "mountpoint"],
};

export const holdsMachine = (type: string) => Object.hasOwn(inPlace, type);

/**
 * Resources that would be changed in place in a way that the state does not expect: it does not know how they are. So the state is older
 * than the stack, and a program that was checked against it proves nothing. Pure.
 */
export function unexpectedChanges(
    names: readonly string[],
    { live, former, later }: Record<"live" | "former" | "later", DefinedStack>,
): string[] {
    return names.filter(name => {
        const { type = "", properties: wanted } = definitionOf(later, name);
        const [now, before] = [definitionOf(live, name).properties, definitionOf(former, name).properties];
        return (inPlace[type] ?? []).some(
            key => !isDeepStrictEqual(now[key], wanted[key]) && !isDeepStrictEqual(now[key], before[key]),
        );
    });
}

/** Servers that use something that is replaced: most of their properties cannot be changed. Pure. */
export function serversWith(replaced: readonly string[], stack: DefinedStack): string[] {
    const gone = new Set(replaced);
    return Object.keys(stack.template.resources ?? {}).filter(name => {
        const { type, properties } = definitionOf(stack, name);
        // A server's security groups change in place.
        const { security_groups: _, ...others } = properties;
        return type === "OS::Nova::Server" && [...referencesIn(others)].some(other => gone.has(other));
    });
}

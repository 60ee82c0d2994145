import { type GivenKind, givenKey, isGivenKey } from "../../../../provider/openstack/given-names";
import { isId } from "../../../../provider/openstack/is-id";
import type { Value, ValueMap } from "../hot/types";

/** A part of a template: what it adds to each section. */
export interface HeatPart {
    parameters?: ValueMap;
    resources: ValueMap;
    outputs?: ValueMap;
}

export const getResource = (name: string) => ({ get_resource: name });
export const getParam = (name: string) => ({ get_param: name });

/** A parameter for what users give by name. Its value is the id that the checks found at the first use: see GivenNames. */
export const given = (kind: GivenKind, nameOrId: string): Value =>
    isId(nameOrId) ? nameOrId : getParam(givenKey(kind, nameOrId));

/** Parameters for everything that these resources have by name. */
export function givenParameters(resources: ValueMap): ValueMap {
    const keys = [...JSON.stringify(resources).matchAll(/\{"get_param":("(?:[^"\\]|\\.)*")\}/g)]
        .map(([, text]) => JSON.parse(text!) as string)
        .filter(isGivenKey);
    return Object.fromEntries(
        [...new Set(keys)].sort().map(key => [key, { type: "string", description: `Id of ${key.replace(":", " ")}` }]),
    );
}

export const getAttribute = (name: string, ...path: (string | number)[]) => ({ get_attr: [name, ...path] });

/** The first address of a port: ports of the plan have one. */
export const addressOf = (port: string) => getAttribute(port, "fixed_ips", 0, "ip_address");

/** A resource without its undefined properties, because Heat takes null for a value. */
export function resource(type: string, properties: Record<string, unknown>, dependsOn: string[] = []): ValueMap {
    const wanted = Object.entries(properties).filter(([, value]) => value !== undefined);
    return {
        type,
        ...(dependsOn.length > 0 && { depends_on: dependsOn }),
        properties: Object.fromEntries(wanted) as ValueMap,
    };
}

/** Each section of all parts, in their order. A name that two parts define is a bug of this package. */
export function joined(parts: HeatPart[]): Required<HeatPart> {
    const section = (name: keyof HeatPart) => {
        const entries = parts.flatMap(part => Object.entries(part[name] ?? {}));
        const names = new Set(entries.map(([key]) => key));
        if (names.size < entries.length) throw new Error(`two ${name} of the template have one name`);
        return Object.fromEntries(entries);
    };
    return { parameters: section("parameters"), resources: section("resources"), outputs: section("outputs") };
}

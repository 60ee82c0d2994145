import { flatTemplate } from "./flat-template";
import { asCall } from "./functions";
import { typed } from "./parameters";
import type { ExpandedStack, Value, ValueMap } from "./types";

/** A resource of a flat template, with the values of parameters inserted as far as they are given. */
export interface FlatResource<V> {
    type: string;
    properties: Record<string, V>;
    /** Undefined: it has none. */
    condition?: V;
    deletionPolicy?: V;
}

/** The expressions of the outputs, by name. */
export function flatOutputs({ template }: Pick<ExpandedStack, "template">): Record<string, Value> {
    const outputs = (flatTemplate(template)["outputs"] ?? {}) as Record<string, ValueMap>;
    return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, output["value"] ?? null]));
}

/** `later`: values of parameters that are not known yet, in any form that the caller can handle. */
export function flatResources<V = Value>(
    { template, parameters }: Pick<ExpandedStack, "template" | "parameters">,
    later: Record<string, V> = {},
): Record<string, FlatResource<V | Value>> {
    const hot = flatTemplate(template);
    const declared = (hot["parameters"] ?? {}) as Record<string, ValueMap>;
    const conditions = (hot["conditions"] ?? {}) as ValueMap;
    const parameter = (name: string): unknown =>
        later[name] ?? canonical(declared[name], parameters[name] ?? declared[name]?.["default"]);
    const known = { parameter, conditions };
    const inserted = (value: Value) => withValues(value, known) as V | Value;
    return Object.fromEntries(
        Object.entries((hot["resources"] ?? {}) as Record<string, ValueMap>).map(([name, resource]) => {
            const { type, properties = {}, condition, deletion_policy: policy } = resource;
            const flat: FlatResource<V | Value> = {
                type: type as string,
                properties: Object.fromEntries(
                    Object.entries(properties as ValueMap).map(([key, value]) => [key, inserted(value)]),
                ),
                ...(condition !== undefined && { condition: conditionOf(condition, known) as V | Value }),
                ...(policy !== undefined && { deletionPolicy: inserted(policy) }),
            };
            return [name, flat];
        }),
    );
}

/** The same for a default and for a given text: 5 and "5", { a: b } and its JSON. */
function canonical(declared: ValueMap | undefined, given: Value | undefined): Value | undefined {
    const value = declared ? typed({ type: String(declared["type"]) }, given) : given;
    return value === null || value === undefined || typeof value === "object" ? value : String(value);
}

interface Known {
    parameter(name: string): unknown;
    /** By name. */
    conditions: ValueMap;
}

/** With parameters replaced by their values, and names of conditions by the conditions. */
function withValues(value: Value, known: Known): unknown {
    const call = asCall(value);
    const change = call && calls[call.name];
    if (change) return change(call.argument, known) ?? value;
    if (Array.isArray(value)) return value.map(each => withValues(each, known));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withValues(each, known)]));
}

const calls: Record<string, (argument: Value, known: Known) => unknown> = {
    get_param: (argument, known) => {
        if (!Array.isArray(argument)) return known.parameter(String(argument));
        const [name, ...path] = argument;
        return { get_param: [known.parameter(String(name)) ?? name, ...path.map(each => withValues(each, known))] };
    },
    if: (argument, known) => {
        const [condition = null, ...values] = argument as Value[];
        return { if: [conditionOf(condition, known), ...values.map(each => withValues(each, known))] };
    },
    and: (argument, known) => ({ and: (argument as Value[]).map(each => conditionOf(each, known)) }),
    or: (argument, known) => ({ or: (argument as Value[]).map(each => conditionOf(each, known)) }),
    not: (argument, known) => ({ not: conditionOf(argument, known) }),
};

function conditionOf(condition: Value, known: Known): unknown {
    const named = typeof condition === "string" && Object.hasOwn(known.conditions, condition);
    if (!named) return withValues(condition, known);
    // A condition that names itself ends here; Heat refuses it.
    const { [condition]: expression, ...conditions } = known.conditions;
    return withValues(expression!, { ...known, conditions });
}

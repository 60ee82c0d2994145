import { type PulumiType, Unknown } from "./structure-types";

type Types = Record<string, PulumiType>;

/**
 * Whether a value is of a type, and nothing more: ajv, which also says what is wrong, takes longer to get ready than a preview of
 * fifty nodes takes to plan. `false` where in doubt. What is not known yet fits everywhere.
 */
export function fits(value: unknown, type: PulumiType, types: Types): boolean {
    if (value instanceof Unknown) return true;
    if (type.$ref?.startsWith(ours)) {
        const referred = types[type.$ref.slice(ours.length)];
        return referred !== undefined && fits(value, referred, types);
    }
    if (type.$ref) return true;
    if (type.items) return Array.isArray(value) && value.every(each => fits(each, type.items!, types));
    const { additionalProperties: each, properties, required = [] } = type;
    if (each) return isObject(value) && Object.values(value).every(inner => fits(inner, each, types));
    if (!properties) return kinds[type.type ?? ""]?.(value) ?? false;
    return (
        isObject(value) &&
        required.every(name => Object.hasOwn(value, name)) &&
        Object.entries(value).every(
            ([name, inner]) => Object.hasOwn(properties, name) && fits(inner, properties[name]!, types),
        )
    );
}

const ours = "#/types/";

const kinds: Record<string, (value: unknown) => boolean> = {
    string: value => typeof value === "string",
    boolean: value => typeof value === "boolean",
    integer: value => Number.isInteger(value),
    number: value => Number.isFinite(value),
    object: value => isObject(value),
};

function isObject(value: unknown): value is Record<string, unknown> {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}

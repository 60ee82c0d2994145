export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What a user gives wins over what we made: objects are merged, everything else is replaced, null removes a key.
 * Tacker merges its requests into its instances in the same way.
 * @see RFC 7396
 */
export function merged(base: JsonObject, patch: JsonObject = {}): JsonObject {
    const result = new Map(Object.entries(base));
    for (const [key, value] of Object.entries(patch)) {
        if (value === null || value === undefined) result.delete(key);
        else result.set(key, isObject(value) ? merged(asObject(result.get(key)), value) : value);
    }
    return Object.fromEntries(result);
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

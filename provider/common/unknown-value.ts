/** The engine sends this in place of a value that is unknown at preview. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value, or any part of it, is unknown. */
export function hasUnknown(value: unknown): boolean {
    if (typeof value !== "object" || value === null) return value === unknownValue;
    return Object.values(value).some(hasUnknown);
}

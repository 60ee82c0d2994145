/** What the engine writes in place of a value that is not known at preview. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value, or anything in it, is not known yet. */
export function hasUnknown(value: unknown): boolean {
    if (typeof value !== "object" || value === null) return value === unknownValue;
    return Object.values(value).some(hasUnknown);
}

import { linesOfSecret } from "../../../steps/redact";
import type { ScriptInput } from "./data-model";
import { isObject } from "./merge";

/** Names of what must not be shown. */
export const secretKey = /pass|secret|token|credential|private/i;

/**
 * Values that must not stand in output and errors: a script's exception often quotes what it was given. Tacker's model
 * marks no secrets, so they are recognised by their keys.
 */
export function secretValues(input: ScriptInput): string[] {
    return valuesIn(input, false).flatMap(linesOfSecret);
}

function valuesIn(value: unknown, secret: boolean): string[] {
    if (typeof value === "string") return secret ? [value] : [];
    if (Array.isArray(value)) return value.flatMap(each => valuesIn(each, secret));
    if (!isObject(value)) return [];
    return Object.entries(value).flatMap(([key, each]) => valuesIn(each, secret || secretKey.test(key)));
}

import { hasUnknown, unknownValue } from "../common/unknown-value";
import { canonicalJson } from "../steps/fingerprint";
import type { CheckFailure } from "./types";

export { hasUnknown, unknownValue };

/** Whether the data is equal. The order of keys does not matter; undefined equals absent. */
export function same(a: unknown, b: unknown): boolean {
    return canonicalJson(a) === canonicalJson(b);
}

/** Reads a path like "spec.name" in nested plain data. Everything in an unknown value is unknown. */
export function at(value: unknown, path: string): unknown {
    return path
        .split(".")
        .reduce<unknown>(
            (v, key) => (v === unknownValue ? v : v === null || typeof v !== "object" ? undefined : (v as never)[key]),
            value,
        );
}

/** The paths at which the two values differ. */
export function changed(olds: object, news: object, paths: readonly string[]): string[] {
    return paths.filter(path => !same(at(olds, path), at(news, path)));
}

/** The engine's property names for these paths. */
export function topLevel(paths: readonly string[]): string[] {
    return [...new Set(paths.map(path => path.split(".")[0]))];
}

/** Checks one input: returns what is wrong with it, or undefined. Not called for unknown values. */
export type Rules = Record<string, (value: unknown) => string | undefined>;

export function failuresOf(inputs: object, rules: Rules): CheckFailure[] {
    return Object.entries(rules).flatMap(([property, rule]) => {
        const value = at(inputs, property);
        const reason = hasUnknown(value) ? undefined : rule(value);
        return reason === undefined ? [] : [{ property, reason }];
    });
}

/** Rule: a non-empty text. */
export const text = (value: unknown) =>
    typeof value === "string" && value !== "" ? undefined : `must be a text, got ${JSON.stringify(value)}`;

/** Rule: a map of texts. */
export const textMap = (value: unknown) =>
    value !== null && typeof value === "object" && Object.values(value).every(v => typeof v === "string")
        ? undefined
        : "must be a map of texts";

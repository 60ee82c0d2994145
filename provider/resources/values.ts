import { canonicalJson } from "../steps/fingerprint";
import { hasUnknown, unknownValue } from "../unknown";
import type { CheckFailure } from "./types";

export { hasUnknown, unknownValue };

/** Equal data, whatever the order of keys; undefined and absent are the same. */
export function same(a: unknown, b: unknown): boolean {
    return canonicalJson(a) === canonicalJson(b);
}

/** Reads "spec.name" of nested plain data. What is in an unknown value is unknown. */
export function at(value: unknown, path: string): unknown {
    return path
        .split(".")
        .reduce<unknown>(
            (v, key) => (v === unknownValue ? v : v === null || typeof v !== "object" ? undefined : (v as never)[key]),
            value,
        );
}

/** Those of the paths at which two values differ. */
export function changed(olds: object, news: object, paths: readonly string[]): string[] {
    return paths.filter(path => !same(at(olds, path), at(news, path)));
}

/** Property names of paths: what the engine calls them. */
export function topLevel(paths: readonly string[]): string[] {
    return [...new Set(paths.map(path => path.split(".")[0]))];
}

/** A rule about one input: what is wrong with it, or undefined. Not asked about values that are unknown. */
export type Rules = Record<string, (value: unknown) => string | undefined>;

export function failuresOf(inputs: object, rules: Rules): CheckFailure[] {
    return Object.entries(rules).flatMap(([property, rule]) => {
        const value = at(inputs, property);
        const reason = hasUnknown(value) ? undefined : rule(value);
        return reason === undefined ? [] : [{ property, reason }];
    });
}

/** A rule: a text that is not empty. */
export const text = (value: unknown) =>
    typeof value === "string" && value !== "" ? undefined : `must be a text, got ${JSON.stringify(value)}`;

/** A rule: a map of texts. */
export const textMap = (value: unknown) =>
    value !== null && typeof value === "object" && Object.values(value).every(v => typeof v === "string")
        ? undefined
        : "must be a map of texts";

import type { PlainArgs } from "../common/plain-args";

/** What a schema cannot express. Each rule: place → what is wrong there. Values that are not known yet are undefined. */
export type Rule<Args> = (args: Args) => Problem[];
export type Problem = [place: string, what: string];
export type ClusterRule = Rule<PlainArgs>;

export const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
export const dnsLabelRule = "the name must be a DNS label (at most 63 of a-z, 0-9, -)";
export const dnsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Alternatives of which at most one may be set. */
export function atMostOne(place: string, given: object | undefined): Problem[] {
    const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
    return set.length > 1 ? [[place, `set only one of: ${set.map(([key]) => key).join(", ")}`]] : [];
}

export function portProblems(place: string, port: number | undefined): Problem[] {
    return within(port, 1, 65535) ? [] : [[place, `${port} is not allowed: 1 to 65535`]];
}

export function within(value: number | undefined, low: number, high: number): boolean {
    return value === undefined || (Number.isInteger(value) && value >= low && value <= high);
}

export function oneOf(place: string, value: string, allowed: readonly string[]): Problem {
    return [place, `"${value}" is not allowed: ${allowed.join(", ")}`];
}

export function prefixed<T>(prefix: string, map: Record<string, T> | undefined): Record<string, T> {
    return Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [`${prefix}.${key}`, value]));
}

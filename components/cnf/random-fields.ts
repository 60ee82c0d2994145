import type { KubernetesObject } from "./manifests";

/**
 * Fields that two renderings of one chart fill differently, as "Secret db: data.password": templates draw them at random or read the clock
 * (`randAlphaNum`, `genCA`, `now`). Values are not shown. Pure.
 */
export function randomFields(one: readonly KubernetesObject[], other: readonly KubernetesObject[]): string[] {
    return one.flatMap((object, i) =>
        differingPaths(object, other[i]).map(path => `${object.kind} ${object.metadata?.name}: ${path}`),
    );
}

function differingPaths(one: unknown, other: unknown, path = ""): string[] {
    if (isObject(one) && isObject(other))
        return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap(key =>
            differingPaths(one[key], other[key], path === "" ? key : `${path}.${key}`),
        );
    return one === other ? [] : [path || "all of it"];
}

function isObject(value: unknown): value is Record<string, unknown> {
    return value !== null && typeof value === "object";
}

import type { Role } from "../../provider/common/model";
import { edges } from "./edges";

const roles: readonly Role[] = ["controlPlane", "worker"];

/** Names in the table of edges for resources of a type ("Host"). Where the role is not known, those of both. */
export function keysOf(type: string, role: Role | undefined): readonly string[] {
    const ofRoles = roles.filter(each => role === undefined || each === role).map(each => `${type} ${each}`);
    return [type, ...ofRoles].filter(key => recorded.has(key));
}

const recorded = new Set(Object.entries(edges).flatMap(([key, targets]) => [key, ...targets.split(", ")]));

/** All that resources of these names wait for, directly and indirectly, also on other machines. Pure. */
export function reachedFrom(keys: readonly string[]): ReadonlySet<string> {
    const found = new Set<string>();
    const left = [...keys];
    for (let next = left.pop(); next !== undefined; next = left.pop())
        for (const target of edges[next]?.split(", ") ?? []) {
            if (!found.has(target)) left.push(target);
            found.add(target);
        }
    return found;
}

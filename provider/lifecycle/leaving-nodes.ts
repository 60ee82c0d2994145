import { listed, naturally } from "./names";
import type { ClusterDescription } from "./operation";

/** Place of a group in the program ("controlPlane", "pools.workers") → names that its `remove` has. */
export type Removed = Record<string, readonly string[]>;

export interface Change {
    before: ClusterDescription["nodes"];
    after: ClusterDescription["nodes"];
    removed: { before: Removed; after: Removed };
    /** Names of servers that are known to be gone. */
    lost: readonly string[];
}

export interface Leaving {
    /** Why the change is refused. */
    wrong: string[];
    notes: string[];
}

/**
 * What there is to say of the nodes that leave. Where one leaves that `remove` does not name, and `remove` names what never was a node, the name is
 * probably misspelt, and the wrong node would leave: that is refused. Pure.
 */
export function leavingNodes(change: Change): Leaving {
    const places = naturally([...new Set(Object.values(change.after).map(placeOf))]);
    const found = places.map(place => inGroup(place, change));
    return { wrong: found.flatMap(({ wrong }) => wrong), notes: found.flatMap(({ notes }) => notes) };
}

function inGroup(place: string, { before, after, removed, lost }: Change): Leaving {
    const named = removed.after[place] ?? [];
    const known = new Set([...Object.keys(before), ...(removed.before[place] ?? [])]);
    const strange = named.filter(name => !known.has(name));
    const members = Object.keys(before).filter(name => placeOf(before[name]!) === place);
    const stay = members.filter(name => Object.hasOwn(after, name));
    const leave = members.filter(name => !Object.hasOwn(after, name) && !named.includes(name));
    if (members.length === 0) return { wrong: [], notes: [] };
    if (strange.length > 0 && leave.length > 0) {
        const reason =
            `${place}.remove names ${listed(strange)}, and this cluster has no such node there (it has ${listed(members)}), while ${listed(leave)} would ` +
            `leave. Nothing was touched. Name the nodes that shall leave; if that is ${listed(leave)}, take ${listed(strange)} out of the list`;
        return { wrong: [reason], notes: [] };
    }
    const unused = `${place}.remove: ${listed(strange)} is no node now, so nothing leaves for it; no node gets this name`;
    return {
        wrong: [],
        notes: [
            ...(strange.length > 0 ? [unused] : []),
            ...(isChosenByCount(leave, stay) ? [choice(place, leave, stay, lost)] : []),
        ],
    };
}

/** A smaller count takes the last by name. Where others leave, or all, the program chose them. */
function isChosenByCount(leave: readonly string[], stay: readonly string[]): boolean {
    if (leave.length === 0 || stay.length === 0) return false;
    return naturally([...stay, ...leave])
        .slice(stay.length)
        .every(name => leave.includes(name));
}

function choice(place: string, leave: readonly string[], stay: readonly string[], lost: readonly string[]): string {
    const sick = stay.filter(name => lost.includes(name));
    return (
        `${listed(leave)} leave${leave.length === 1 ? "s" : ""}: a smaller count takes the last by name, unless ${place}.remove names others` +
        (sick.length === 0 ? "" : `, such as ${listed(sick)}, whose server is gone`)
    );
}

function placeOf({ role, pool }: ClusterDescription["nodes"][string]): string {
    return role === "controlPlane" ? "controlPlane" : `pools.${pool ?? "workers"}`;
}

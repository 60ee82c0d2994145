import { editDistance } from "../common/edit-distance";
import { listed, naturally } from "./names";
import type { ClusterDescription } from "./operation";

/** Place of a group in the program ("controlPlane", "pools.workers") → names that its `remove` has. */
export type Removed = Record<string, readonly string[]>;

export interface Change {
    before: ClusterDescription["nodes"];
    after: ClusterDescription["nodes"];
    removed: { before: Removed; after: Removed };
    /** What an earlier run found to be strange. */
    strangeBefore?: Removed;
    /** Names of servers that are known to be gone. */
    lost: readonly string[];
}

export interface Leaving {
    /** Why the change is refused. */
    wrong: string[];
    notes: string[];
    /** Names in `remove` that are no node, and that no run of this program has known as one. */
    strange: Removed;
}

/**
 * What there is to say of the nodes that leave. Where one leaves that `remove` does not name, and `remove` names what never was a node, the name is
 * probably misspelt, and the wrong node would leave: that is refused, also if the name came in an earlier run. Pure.
 */
export function leavingNodes(change: Change): Leaving {
    const places = naturally([...new Set(Object.values(change.after).map(placeOf))]);
    const found = places.map(place => inGroup(place, change));
    return {
        wrong: found.flatMap(({ wrong }) => wrong),
        notes: found.flatMap(({ notes }) => notes),
        strange: Object.fromEntries(
            found.flatMap(({ strange }, i) => (strange.length === 0 ? [] : [[places[i]!, strange]])),
        ),
    };
}

interface OfGroup extends Omit<Leaving, "strange"> {
    strange: readonly string[];
}

function inGroup(place: string, { before, after, removed, strangeBefore = {}, lost }: Change): OfGroup {
    const named = removed.after[place] ?? [];
    const isNew = (name: string) => !(removed.before[place] ?? []).includes(name);
    const strange = named.filter(
        name => !Object.hasOwn(before, name) && (isNew(name) || strangeBefore[place]?.includes(name)),
    );
    const members = Object.keys(before).filter(name => placeOf(before[name]!) === place);
    const stay = members.filter(name => Object.hasOwn(after, name));
    const leave = members.filter(name => !Object.hasOwn(after, name) && !named.includes(name));
    if (members.length === 0) return { wrong: [], notes: [], strange: [] };
    if (strange.length > 0 && leave.length > 0) {
        const reason =
            `${place}.remove names ${listed(strange)}, and this cluster has no such node there (it has ${listed(members)}${nearest(strange, members)}), while ${listed(leave)} would ` +
            `leave. Nothing was touched. Name the nodes that shall leave; if that is ${listed(leave)}, take ${listed(strange)} out of the list`;
        return { wrong: [reason], notes: [], strange };
    }
    const fresh = strange.filter(isNew);
    const unused = `${place}.remove: ${listed(fresh)} is no node now, so nothing leaves for it; no node gets this name${nearest(fresh, members)}`;
    return {
        wrong: [],
        strange,
        notes: [
            ...(fresh.length > 0 ? [unused] : []),
            ...(isChosenByCount(leave, stay) ? [choice(place, leave, stay, lost)] : []),
        ],
    };
}

/** For each name, the member whose name is nearest: "; nearest: w2". */
function nearest(names: readonly string[], members: readonly string[]): string {
    const near = names.flatMap(name => {
        const ranked = members.map(member => ({ member, distance: editDistance(name, member) }));
        return ranked.sort((a, b) => a.distance - b.distance).slice(0, 1);
    });
    return near.length === 0 ? "" : `; nearest: ${listed([...new Set(near.map(({ member }) => member))])}`;
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

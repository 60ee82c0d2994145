import { descriptors } from "../../provider/adapters/descriptors";
import { cloudTypes } from "../../provider/adapters/titles";
import { didYouMean } from "../../provider/common/did-you-mean";
import { NfvError } from "../../provider/common/errors";
import { listed } from "../../provider/operation/names";
import { type AllowWord, allowWords } from "./operation-names";
import type { Plan } from "./plan";
import type { PlannedNode } from "./planned-nodes";
import { nameIn } from "./urns";

/** What a plan may do. Everything that is not set is allowed. */
export interface Guards {
    /**
     * ETSI's names of operations: `["scale", "modify_information"]`. A plan with another one is refused; so is one that deletes or replaces resources that are part of no
     * cluster, unless `removal` is among them.
     */
    allow?: readonly AllowWord[];
    /**
     * How many nodes one run may take out of service, by group: `controlPlaneNodes`, and `workers` for all pools together, or the name of a
     * pool. A number, or a share of the group's nodes that are there before the run, `"20%"`, rounded down but at least one node. Counted are nodes that leave, are replaced,
     * have a step or a repair that interrupts something, change for a reason that the plan does not know, or are interrupted by a resource of the whole cluster.
     */
    maxDisruption?: Readonly<Record<string, number | string>>;
    /**
     * What must neither be replaced nor deleted: names of nodes, `controlPlane`, names of pools, types (`"StorageMachine"`,
     * `"openstack:compute/instance:Instance"`), names or URNs of resources.
     */
    forbidReplace?: readonly string[];
}

/** Why the plan must not run; empty: it may. Pure. @throws INVALID_INPUT for guards that cannot be understood */
export function refusals(plan: Plan, guards: Guards): string[] {
    refuseStrange(guards);
    refuseUnknownGroups(plan, guards);
    return [...unwanted(plan, guards), ...removed(plan, guards), ...tooMany(plan, guards), ...replaced(plan, guards)];
}

/** A plan without clusters has no groups: a program may have clusters at some sites only. */
function refuseUnknownGroups({ groups }: Plan, { maxDisruption = {} }: Guards): void {
    const pools = Object.values(groups).flatMap(each => Object.keys(each).filter(group => group !== "controlPlane"));
    const known = [...new Set(["controlPlaneNodes", "workers", ...pools])];
    const unknown = Object.keys(maxDisruption).find(group => !known.includes(group));
    if (unknown === undefined || Object.keys(groups).length === 0) return;
    throw wrong(
        `maxDisruption.${unknown}: there is no such group; there are ${known.join(", ")}${didYouMean(unknown, known)}`,
    );
}

/**
 * A word of forbidReplace that names nothing would guard nothing. `known`: URNs, names and types of the resources of plan and state.
 * @throws INVALID_INPUT
 */
export function refuseUnknownWords(
    { groups, nodes: planned }: Plan,
    { forbidReplace = [] }: Guards,
    known: readonly string[],
): void {
    const clusters = Object.values(groups);
    // As for groups: a program may have clusters at some sites only.
    if (clusters.length === 0) return;
    const groupNames = [...new Set(clusters.flatMap(Object.keys))];
    // One that a former run took out of the program may still have to leave.
    const nodes = [
        ...new Set([...clusters.flatMap(Object.values).flat(), ...planned.map(({ node }) => node)]),
    ] as string[];
    const all = new Set([...groupNames, ...nodes, ...ourTypes, ...known]);
    const unknown = forbidReplace.find(word => !all.has(word));
    if (unknown === undefined) return;
    const names = known.filter(
        word => !word.includes(":") && !ourTypes.has(word) && !nodes.some(node => word.endsWith(`-${node}`)),
    );
    throw wrong(
        `forbidReplace: there is no ${unknown}; there are nodes ${listed(nodes)}; groups ${groupNames.join(", ")}; resources ${listed(names) || "none"}; types such as Node, and URNs${didYouMean(unknown, [...groupNames, ...nodes, ...names, ...ourTypes])}`,
    );
}

/** Types of this package's resources, also of those that a program has at some sites only. */
const ourTypes: ReadonlySet<string> = new Set([...Object.keys(descriptors), ...cloudTypes]);

/** @throws INVALID_INPUT for guards that no plan could be held against */
export function refuseStrange({ allow = [], maxDisruption = {}, ...others }: Guards): void {
    const strange = allow.find(name => !allowWords.includes(name));
    if (strange !== undefined)
        throw wrong(
            `allow: there is no operation ${JSON.stringify(strange)}; there are ${allowWords.join(", ")}${didYouMean(strange, allowWords)}`,
        );
    for (const [group, limit] of Object.entries(maxDisruption)) limitOf(limit, 1, group);
    const { forbidReplace: _, ...rest } = others;
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined)
        throw wrong(
            `${unknown}: there is no such guard${didYouMean(unknown, ["allow", "maxDisruption", "forbidReplace"])}`,
        );
}

function unwanted({ operations }: Plan, { allow }: Guards): string[] {
    if (allow === undefined) return [];
    return operations.flatMap(({ names, text, cluster }) => {
        const not = names.filter(name => !allow.includes(name));
        const known = allow.length > 0 ? `only ${allow.join(", ")} is allowed` : "no operation is allowed";
        // An operation that cannot be recognised is none that is allowed.
        return not.length === 0 && names.length > 0 ? [] : [`${cluster}: ${text}: ${known}`];
    });
}

function removed({ resources, operations }: Plan, { allow }: Guards): string[] {
    const allowed: readonly string[] | undefined = allow;
    // Where all clusters end, the rest of the stack ends with them.
    const isEnd = operations.length > 0 && operations.every(({ names }) => names.includes("terminate"));
    if (allowed === undefined || allowed.includes("removal") || (isEnd && allowed.includes("terminate"))) return [];
    return resources
        .filter(({ act, cluster }) => cluster === undefined && (act === "delete" || act === "replace"))
        .map(({ type, name, act }) => `${type} ${name}: ${act}: it is part of no cluster, and removal is not allowed`);
}

const isDisrupted = ({ disruptions }: PlannedNode) => disruptions.length > 0;

function tooMany(plan: Plan, { maxDisruption = {} }: Guards): string[] {
    if (Object.keys(maxDisruption).length === 0) return [];
    const uncounted = (plan.interrupts ?? []).flatMap(({ resource, nodes, what }) =>
        nodes === undefined ? [`${resource}: ${what}: maxDisruption cannot count that`] : [],
    );
    const counted = Object.entries(maxDisruption).flatMap(([key, limit]) =>
        Object.entries(plan.groups).flatMap(([cluster, groups]) => {
            const { there, hit } = disruptedIn(plan, cluster, groups, group => holds(key, group));
            const most = limitOf(limit, there, key);
            if (hit.length <= most) return [];
            return [
                `${cluster}: ${hit.length} of ${there} nodes would be disrupted (${listed(hit)}), maxDisruption.${key} allows ${most}`,
            ];
        }),
    );
    return [...uncounted, ...counted];
}

/** Of the groups: how many nodes are there before the run, and the names of those that are disrupted. */
function disruptedIn(
    { nodes, interrupts = [] }: Plan,
    cluster: string,
    groups: Readonly<Record<string, readonly string[]>>,
    isIn: (group: string) => boolean,
): { there: number; hit: string[] } {
    const inGroups = Object.keys(groups)
        .filter(isIn)
        .flatMap(group => groups[group]!);
    const its = nodes.filter(each => each.cluster === cluster);
    const acted = its.filter(each => isIn(each.group) && isDisrupted(each)).map(({ node }) => node);
    // One that a former run took out of the program may still have to leave.
    const all = [...new Set([...inGroups, ...acted])];
    // Nodes that join serve nothing yet: a share of them would let a scale out disrupt all nodes that do.
    const isNew = (name: string) => its.some(each => each.node === name && each.change === "joins");
    const interrupted = interrupts.flatMap(each => (each.cluster === cluster ? (each.nodes ?? []) : []));
    const beside = interrupted.filter(name => all.includes(name));
    return { there: all.filter(name => !isNew(name)).length, hit: [...new Set([...acted, ...beside])] };
}

function holds(key: string, group: string): boolean {
    if (key === "controlPlaneNodes") return group === "controlPlane";
    return key === "workers" ? group !== "controlPlane" : key === group;
}

function limitOf(limit: number | string, nodes: number, group: string): number {
    if (typeof limit === "number" && Number.isInteger(limit) && limit >= 0) return limit;
    const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(String(limit)) ?? [];
    if (percent !== undefined && Number(percent) <= 100)
        return Number(percent) === 0 ? 0 : Math.max(1, Math.floor((nodes * Number(percent)) / 100));
    if (/^\d+$/.test(String(limit))) return Number(limit);
    throw wrong(
        `maxDisruption.${group}: ${JSON.stringify(limit)}: a whole number of nodes or a share such as "20%" is expected`,
    );
}

function replaced({ nodes, resources }: Plan, { forbidReplace = [] }: Guards): string[] {
    const gone = nodes.filter(({ change }) => change === "leaves" || change === "rejoins" || change === "new machine");
    const ofNodes = gone.flatMap(({ cluster, node, group, change, replaces = [] }) =>
        [node, group, "Node", "Host", ...replaces, ...replaces.map(nameIn)]
            .filter(word => forbidReplace.includes(word))
            .slice(0, 1)
            .map(word => `${cluster}: ${node}: ${change}: forbidReplace has ${word}`),
    );
    const ofOthers = resources
        .filter(({ act }) => act === "replace" || act === "delete")
        .flatMap(({ urn, name, type, act }) =>
            [urn, name, type]
                .filter(word => forbidReplace.includes(word))
                .slice(0, 1)
                .map(word => `${type} ${name}: ${act}: forbidReplace has ${word}`),
        );
    return [...ofNodes, ...ofOthers];
}

function wrong(cause: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause: `guards: ${cause}` });
}

import { descriptorOf } from "../../provider/adapters/descriptors";
import type { Plan } from "./plan";
import type { PlannedResource } from "./planned-resources";

/**
 * Resources of a plan without those that are only a part of how this package works: it makes or changes them, and that interrupts nothing. What goes is never one of
 * them. Pure.
 */
export function partedResources({ resources, interrupts = [] }: Pick<Plan, "resources" | "interrupts">): {
    others: PlannedResource[];
    internals: PlannedResource[];
} {
    const isInternal = ({ type, name, act }: PlannedResource) =>
        descriptorOf(type) !== undefined &&
        (act === "create" || act === "update") &&
        !interrupts.some(({ resource }) => resource === `${type} ${name}`);
    return {
        others: resources.filter(each => !isInternal(each)),
        internals: resources.filter(isInternal),
    };
}

/** In one line: "create ClusterKeys, Vim; update CnfReadiness". Pure. */
export function internalText(resources: readonly PlannedResource[]): string {
    const acts = [...new Set(resources.map(({ act }) => act))];
    return acts
        .map(act => {
            const types = resources.filter(each => each.act === act).map(({ type }) => type);
            const times = (type: string) => types.filter(each => each === type).length;
            return `${act} ${[...new Set(types)].map(type => (times(type) > 1 ? `${times(type)} ${type}` : type)).join(", ")}`;
        })
        .join("; ");
}

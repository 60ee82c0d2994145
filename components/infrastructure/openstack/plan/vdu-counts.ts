import type { HeatTemplateArgs } from "../../../args/infrastructure-args";

/**
 * The value of an input without the counts of a template's VDUs, which are numbers of nodes: an operation compares nodes
 * separately. Other values stay as they are.
 */
export function withoutVduCounts(value: unknown): unknown {
    const { tacker } = (isObject(value) ? value : {}) as HeatTemplateArgs;
    if (tacker?.vdus === undefined) return value;
    const vdus = Object.entries(tacker.vdus).map(([name, { count: _, ...vdu }]) => [name, vdu]);
    return { ...(value as HeatTemplateArgs), tacker: { ...tacker, vdus: Object.fromEntries(vdus) } };
}

function isObject(value: unknown): value is object {
    return value !== null && typeof value === "object";
}

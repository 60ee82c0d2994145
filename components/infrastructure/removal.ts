import type { OperationStartSpec } from "../../provider/operation/operation-start-inputs";
import type { KubernetesClusterArgs } from "../args/args";

/** What OperationStart keeps of `remove`: place of the group → names. Nothing, if the program names none: its inputs stay as they were. */
export function removal({ controlPlane, pools }: KubernetesClusterArgs): Pick<OperationStartSpec, "removed"> {
    const groups = [
        ["controlPlane", controlPlane?.remove] as const,
        ...Object.entries(pools ?? {}).map(([pool, { remove }]) => [`pools.${pool}`, remove] as const),
    ];
    const named = groups.filter(([, names]) => names !== undefined && names.length > 0);
    return named.length === 0 ? {} : { removed: Object.fromEntries(named) as Record<string, string[]> };
}

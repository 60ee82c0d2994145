import type { CheckFailure } from "../contract/types";

/** OpenStack's own parts in the cluster, by their names under `cloudProvider`. */
export const cloudParts = ["cloudControllerManager", "cinderCsi"] as const;
export type CloudPart = (typeof cloudParts)[number];

/** Which parts a program names, and whether they are switched on. */
export type NamedParts = Partial<Record<CloudPart, boolean>>;

/**
 * A part leaves only by `enabled: false`. Without it in the program, it would run on; without the whole block, the application credential would be
 * deleted, and the part could no longer log in to the cloud.
 */
export function refuseLeftOutParts(before: NamedParts | undefined, after: NamedParts | undefined): CheckFailure[] {
    if (before === undefined || after === undefined) return [];
    return cloudParts
        .filter(part => before[part] === true && after[part] === undefined)
        .map(part => ({ property: "", reason: whyLeftOut(part) }));
}

export function whyLeftOut(part: CloudPart): string {
    return (
        `cloudProvider.${part} is left out of the program, but runs in the cluster: without cloudProvider it could not log in to the cloud, and no later run would remove it. ` +
        `Nothing was touched. Set cloudProvider.${part}.enabled to false first, run pulumi up, and leave it out after that.`
    );
}

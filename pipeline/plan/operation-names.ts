/** ETSI's names, with which a guard allows operations; and `restore`, which makes the cluster's objects those of a snapshot. */
export const operationNames = [
    "instantiate",
    "scale",
    "heal",
    "change_current_package",
    "modify_information",
    "change_external_connectivity",
    "terminate",
    "rollback",
    "restore",
] as const;

export type OperationName = (typeof operationNames)[number];

/** What a guard can allow: an operation on clusters; and `removal`, deletions and replacements of resources that are part of no cluster. */
export const allowWords = [...operationNames, "removal"] as const;

export type AllowWord = (typeof allowWords)[number];

/** How preview begins the text of each operation. */
const beginnings: [RegExp, OperationName][] = [
    [/^instantiate\b/, "instantiate"],
    [/^scale (out|in)\b/, "scale"],
    [/^heal\b/, "heal"],
    [/^change current package:/, "change_current_package"],
    [/^modify information:/, "modify_information"],
    [/^change external connectivity:/, "change_external_connectivity"],
    [/^terminate\b/, "terminate"],
    [/^rollback of\b/, "rollback"],
];

/**
 * The operations in a line of preview: "scale out workers +1 (w3); modify information: registries". A part that begins
 * like no operation belongs to the one before it. Pure.
 */
export function operationsIn(line: string): OperationName[] {
    const found = line.split("; ").flatMap(part => beginnings.find(([begin]) => begin.test(part))?.[1] ?? []);
    return [...new Set(found)];
}

import { descriptorOf } from "../../provider/adapters/descriptors";
import type { ActOnResource, Disruption } from "../../provider/member/disrupts";
import { naturally } from "../../provider/operation/names";
import type { PlannedNode } from "./planned-nodes";
import type { Entry } from "./planned-resources";

/** What a resource takes out of service that is none of a node, such as an upgrade of the nodes' operating system. */
export interface PlannedDisruption {
    /** Name of the cluster's resource. */
    cluster: string;
    /** "OsUpgrade core" */
    resource: string;
    /** At most these nodes of the cluster. Undefined: no limit can count it. */
    nodes?: string[];
    /** What is interrupted there. */
    what: string;
}

/** Nodes that join serve nothing yet, and are not among them. `groups`: by cluster. Pure. */
export function plannedDisruptions(
    entries: readonly Entry[],
    groups: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
    planned: readonly PlannedNode[],
): PlannedDisruption[] {
    return entries.flatMap((entry): PlannedDisruption[] => {
        const found = disruptionOf(entry);
        if (found === undefined) return [];
        const { cluster } = entry;
        const said = { cluster, resource: `${entry.type} ${entry.name}`, what: found.what };
        const all = groups[cluster];
        if (found.nodes === "others" || all === undefined) return [said];
        const joins = (name: string) =>
            planned.some(each => each.cluster === cluster && each.node === name && each.change === "joins");
        const names = found.nodes === "all" ? Object.values(all).flat() : found.nodes;
        const nodes = naturally(names.filter(name => !joins(name)));
        return nodes.length === 0 ? [] : [{ ...said, nodes }];
    });
}

const unknownType: Disruption = { nodes: "others", what: "this release does not know the type" };

function disruptionOf({ type, act, old, new: next }: Entry): Disruption | undefined {
    if (act === undefined || act === "read") return undefined;
    const disrupts = descriptorOf(type) === undefined ? () => unknownType : descriptorOf(type)!.disrupts;
    if (typeof disrupts === "string") return undefined;
    const acted: ActOnResource = { act, state: old?.outputs ?? {}, inputs: next?.inputs ?? {} };
    return disrupts(acted);
}

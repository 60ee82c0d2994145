import type * as pulumi from "@pulumi/pulumi";
import { typeToken } from "../../provider/adapters/dynamic";
import { outputsOf, ownState, type StateOutputs } from "../../provider/adapters/own-state";
import type { Heals } from "../../provider/operation/heals";
import { type Asking, stillAsks } from "../infrastructure/heal-wish";
import type { NodeName } from "../infrastructure/infrastructure";
import { objectIn } from "./version-refusal";

/**
 * Nodes whose heal an earlier run has recorded, and not carried out to its end. Known to the state alone: control-plane nodes that come before them need it.
 */
export function openHeals(clusterId: pulumi.Output<string>, args: Asking, nodes: readonly NodeName[]) {
    const state = ownState();
    return clusterId.apply(async id =>
        openHealsIn(await state, id, (name, heals) =>
            nodes.some(node => node.name === name && stillAsks(args, node, heals)),
        ),
    );
}

/** The operation's start has another heal of the node, which the program still requests, or another machine, than its Node. Pure. */
export function openHealsIn(
    state: StateOutputs,
    clusterId: string,
    isRequested: (name: string, heals: Heals) => boolean,
): string[] {
    const start = outputsOf(state, typeToken("OperationStart")).find(
        ({ spec }) => objectIn(spec)?.["clusterId"] === clusterId,
    );
    const { nodes, backEnd } = (objectIn(start?.["spec"]) ?? {}) as {
        nodes?: Record<string, { machine?: string }>;
        backEnd?: string;
    };
    const heals = (objectIn(start?.["heals"]) ?? { nodes: {} }) as unknown as Heals;
    return outputsOf(state, typeToken("Node")).flatMap(({ spec, heal = 0 }) => {
        const { name, address, clusterId: of } = (objectIn(spec) ?? {}) as Record<string, string>;
        if (of !== clusterId || name === undefined || nodes?.[name] === undefined) return [];
        const { machine } = nodes[name];
        const isMoved = backEnd === "hosts" && machine !== undefined && machine !== address;
        const isOpen = (heals.nodes[name] ?? 0) !== heal && isRequested(name, heals);
        return isMoved || isOpen ? [name] : [];
    });
}

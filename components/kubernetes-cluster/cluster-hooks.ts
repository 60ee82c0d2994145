import * as pulumi from "@pulumi/pulumi";
import { descriptors } from "../../provider/adapters/descriptors";
import { type DeepInput, NodeEnd, typeToken } from "../../provider/adapters/dynamic";
import { outputsOf, ownState, type StateOutputs } from "../../provider/adapters/own-state";
import { reachOf } from "../../provider/cluster/hooks/end-hooks";
import type { NodeEndInputs } from "../../provider/cluster/node-end";
import type { OperationEndState } from "../../provider/cluster/operation-end-inputs";
import { unpack } from "../../provider/contract/packed";
import type { BeforeInput, ClusterHooks } from "../../provider/operation/hooks/hook-inputs";
import type { GivenHook } from "../common/hook-list";
import { resourceName } from "../common/resource-name";

/** The hooks of a cluster, as the resources at start and end of its operations get them. */
export interface MadeHooks {
    input: DeepInput<ClusterHooks>;
    /** Secret. Not packed with other secrets: those are stored. */
    before: pulumi.Output<BeforeInput>;
    /** What all that belongs to a node depends on, and is deleted after it: see NodeEnd. */
    endOf(node: string): NodeEnd;
}

export interface HooksRequest {
    name: string;
    clusterName: string;
    list: readonly GivenHook[];
    clusterId: pulumi.Output<string>;
    parent: pulumi.Resource;
}

/** Undefined: the program has no hooks. */
export function makeHooks({ name, clusterName, list, clusterId, parent }: HooksRequest): MadeHooks | undefined {
    if (list.length === 0) return undefined;
    const state = ownState();
    const before = pulumi.secret(clusterId.apply(async id => leftBefore(await state, id)));
    const ends = new Map<string, NodeEnd>();
    const endOf = (node: string) => {
        const end =
            ends.get(node) ?? new NodeEnd(resourceName({ name, clusterName }, node), { clusterId, node }, { parent });
        ends.set(node, end);
        return end;
    };
    return { endOf, input: { clusterName, list: list as DeepInput<ClusterHooks["list"]> }, before };
}

/** What the last operation left in the stack's state. */
function leftBefore(state: StateOutputs, clusterId: string): BeforeInput {
    const states = outputsOf(state, typeToken("OperationEnd")).map(
        outputs => unpack(outputs, descriptors.OperationEnd.secretInputs) as unknown as OperationEndState,
    );
    const end = states.find(({ spec }) => spec?.clusterId === clusterId);
    const marks = outputsOf(state, typeToken("NodeEnd")) as unknown as NodeEndInputs[];
    const ends = marks.filter(mark => mark.clusterId === clusterId).map(({ node }) => node);
    const reach = end && reachOf(end);
    const servers = new Set(outputsOf(state, "openstack:compute/instance:Instance").map(({ id }) => id));
    // Where one stack makes all servers, no node has a mark.
    const lost = ends.filter(node => {
        const id = reach?.machines[node]?.serverId;
        return id !== undefined && !servers.has(id);
    });
    return {
        reach: reach === undefined ? "" : JSON.stringify(reach),
        completed: end?.endedUpTo ?? 0,
        endedHooks: end?.endedHooks ?? [],
        ends,
        lost,
    };
}

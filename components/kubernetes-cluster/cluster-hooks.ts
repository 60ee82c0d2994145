import * as pulumi from "@pulumi/pulumi";
import { type DeepInput, HookReach, typeToken } from "../../provider/dynamic";
import { ownState, type StateOutputs } from "../../provider/own-state";
import { reachOf } from "../../provider/resources/end-hooks";
import type { ClusterHooks } from "../../provider/resources/hook-inputs";
import type { OperationEndState } from "../../provider/resources/operation-end-inputs";
import { unpack } from "../../provider/resources/packed";
import type { GivenHook } from "./hook-list";

/** The hooks of a cluster, as the resources at start and end of its operations get them. */
export interface MadeHooks {
    input: DeepInput<ClusterHooks>;
    /** The start of an operation waits for it. */
    reach: HookReach;
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
    const found = clusterId.apply(async id => before(await state, id));
    const reach = new HookReach(
        name,
        {
            clusterId,
            reach: pulumi.secret(found.apply(({ reach: known }) => (known === undefined ? "" : JSON.stringify(known)))),
            completed: found.apply(({ completed }) => completed),
        },
        { parent },
    );
    return { input: { clusterName, list: list as DeepInput<ClusterHooks["list"]> }, reach };
}

/** What the last operation left in the stack's state. */
function before(state: StateOutputs, clusterId: string) {
    const ends = Object.entries(state)
        .filter(([urn]) => urn.split("::")[2]?.endsWith(typeToken("OperationEnd")))
        .map(([, resource]) => unpack(resource?.outputs ?? {}, secretNames) as unknown as OperationEndState);
    const end = ends.find(({ spec }) => spec?.clusterId === clusterId);
    return { completed: end?.endedUpTo ?? 0, reach: end && reachOf(end) };
}

const secretNames = ["controlPlane", "workers", "access", "hooks", "fingerprintKey"];

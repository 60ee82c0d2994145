import { runFacts } from "../../contract/run-facts";
import type { Context } from "../../contract/types";
import type { HookMoment } from "../../operation/hooks/events";
import type { RecordedOperation } from "../../operation/hooks/facts";
import type { ClusterHooks } from "../../operation/hooks/hook-inputs";
import { forgetCluster, isTerminating, noteTermination } from "../../operation/hooks/record";
import type { OperationStartState } from "../../operation/operation-start-inputs";
import type { OperationEndState } from "../operation-end-inputs";
import { runHooks } from "./cluster-hooks";
import { reachOf } from "./end-hooks";
import { hooksOrFailure, withoutLogins } from "./start-hooks";

/**
 * The hooks of a termination. It is turned round: Pulumi deletes OperationEnd first, so its delete runs the hooks of `terminate_start`.
 * OperationStart is deleted last, so its delete runs those of `terminate_end`.
 */

/** Runs the `terminate_start` hooks: the cluster is still whole. */
export async function runTerminateHooks(state: OperationEndState, context: Context): Promise<void> {
    const { hooks, history = [], spec, endedUpTo = 0 } = state;
    if (hooks === undefined) return;
    const reach = reachOf(state);
    const operation = termination(Math.max(endedUpTo, Number(history.at(-1)?.id ?? 0)) + 1, nodesOf(state));
    const machines = { before: withoutLogins(reach.machines), after: {} };
    noteTermination(spec.clusterId);
    await hooksOrFailure(() =>
        runHooks(
            { hooks, operations: [operation], moment: "start", clusterId: spec.clusterId, reach, machines },
            context,
        ),
    );
}

/** All nodes of the cluster. Of a node that no operation has recorded only the role is known. */
function nodesOf({ spec, controlPlane, history = [] }: OperationEndState): RecordedOperation["after"] {
    const known = history.at(-1)?.after ?? {};
    const isMaster = (name: string) => controlPlane.some(each => each.name === name);
    return Object.fromEntries(
        Object.keys(spec.nodes).map(name => [
            name,
            Object.hasOwn(known, name) ? known[name]! : { role: isMaster(name) ? "controlPlane" : "worker" },
        ]),
    );
}

/** Runs the `terminate_end` hooks, when all of the cluster is gone; or those of an instantiation that never ended, taken back. */
export async function runLastHooks(state: OperationStartState, context: Context): Promise<void> {
    const { hooks, spec, history = [], operations = 0 } = state;
    const { clusterId, nodes } = spec;
    if (hooks !== undefined) {
        const last = termination(operations + 1, nodes);
        const hasBegunToEnd = runFacts(context).isEnding(clusterId) || isTerminating(clusterId);
        const unfinished = hasBegunToEnd ? undefined : history.find(({ kind }) => kind === "instantiate");
        if (unfinished === undefined) await runWithoutCluster(hooks, last, "end", clusterId, context);
        else {
            const takingBack = {
                ...last,
                kind: unfinished.kind,
                rollbackOf: unfinished.id,
                reasons: ["it never ended"],
            };
            for (const moment of ["start", "end"] as const)
                await runWithoutCluster(hooks, takingBack, moment, clusterId, context);
        }
    }
    forgetCluster(clusterId);
}

/** The end of a cluster as an operation: all of its nodes leave. */
export function termination(number: number, before: RecordedOperation["before"]): RecordedOperation {
    return {
        id: String(number),
        kind: "terminate",
        ...{ added: [], removed: Object.keys(before), replaced: [], changed: [], reasons: [] },
        ...{ before, after: {} },
    };
}

function runWithoutCluster(
    hooks: ClusterHooks,
    operation: RecordedOperation,
    moment: HookMoment,
    clusterId: string,
    context: Context,
): Promise<void> {
    const machines = { before: {}, after: {} };
    return hooksOrFailure(() =>
        runHooks({ hooks, operations: [operation], moment, clusterId, reach: { machines: {} }, machines }, context),
    );
}

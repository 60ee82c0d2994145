import { NfvError } from "../../common/errors";
import type { Context, InSession } from "../../contract/types";
import { isUnmoved } from "../../member/upgrade/heal-first";
import { beforeOperation } from "../../operation/hooks/before-operation";
import type { RecordedOperation } from "../../operation/hooks/facts";
import type { HookReach, HooksEndState } from "../../operation/hooks/hook-inputs";
import type { OperationEndInputs, OperationEndState } from "../operation-end-inputs";
import { HooksStopped, runHooks } from "./cluster-hooks";
import { withoutLogins } from "./start-hooks";

type Ended = Pick<HooksEndState, "endedUpTo" | "endedHooks">;

/** Whether hooks of an operation's end have not all run. */
export function hasDueHooks({ endedUpTo = 0 }: Ended, { hooks, history = [] }: OperationEndInputs): boolean {
    return hooks !== undefined && history.some(({ id }) => Number(id) > endedUpTo);
}

/** What the state had before this run. Where a node is replaced, the end of the operation is made again: it has no former state of its own. */
export function leftBefore(clusterId: string, context: InSession): LeftBefore {
    const { completed, endedHooks, reach } = beforeOperation(context, clusterId);
    return { endedUpTo: completed, endedHooks: [...endedHooks], machines: reach.machines };
}

type LeftBefore = Ended & { machines: HookReach["machines"] };

/**
 * Runs the `_end` hooks of the operations that have not had them all. `outs`: the state of the rest, which is done.
 * @throws the hook's error, with what the engine needs to store what was done
 */
export async function withEndHooks(
    id: string,
    outs: OperationEndState,
    olds: Partial<OperationEndState> | LeftBefore,
    context: Context,
): Promise<OperationEndState> {
    const { hooks, history = [], spec, ...others } = outs;
    if (hooks === undefined) return outs;
    const { endedUpTo = 0, endedHooks = [] } = olds;
    // Nodes wait for the next run with their upgrade: its end, and the ends behind it, come then.
    if (isUnmoved(spec, context)) return { ...outs, endedUpTo, endedHooks };
    const due = history.filter(operation => Number(operation.id) > endedUpTo);
    const operations = withPresent(
        due.filter(({ endsWith }) => endsWith !== "deletion"),
        Object.keys(spec.nodes),
    );
    const reach = reachOf(outs);
    const before = withoutLogins(machinesOf(olds));
    try {
        const kubernetesVersion = Object.values(spec.nodes)[0];
        const machines = { before, after: withoutLogins(reach.machines) };
        await runHooks(
            {
                hooks,
                operations,
                moment: "end",
                clusterId: spec.clusterId,
                ...(kubernetesVersion !== undefined && { kubernetesVersion }),
                reach,
                machines,
                ended: endedHooks,
            },
            context,
        );
        const last = Math.max(endedUpTo, ...due.map(operation => Number(operation.id)));
        // A run that was no operation has none: the last one says what the nodes are, to the hooks of a termination.
        const known = history.length > 0 || !("history" in olds) ? history : (olds.history ?? history);
        return { ...others, hooks, history: known, spec, endedUpTo: last };
    } catch (error) {
        if (!(error instanceof HooksStopped)) throw error;
        const properties = { ...outs, endedUpTo, endedHooks: error.ended };
        throw Object.assign(asError(error.failure), { id, properties, reasons: [error.message] });
    }
}

function machinesOf(olds: Partial<OperationEndState> | LeftBefore): HookReach["machines"] {
    if ("machines" in olds) return olds.machines;
    return olds.controlPlane === undefined ? {} : reachOf(olds as OperationEndState).machines;
}

/** The end of an operation may come after a later one has taken out some of its nodes: those are not there any more. */
export function withPresent(operations: readonly RecordedOperation[], present: readonly string[]): RecordedOperation[] {
    return operations.map(operation => ({
        ...operation,
        after: Object.fromEntries(Object.entries(operation.after).filter(([name]) => present.includes(name))),
    }));
}

/** As the end of the operation reaches the cluster. */
export function reachOf({
    spec: { servers = {} },
    controlPlane,
    workers = [],
    access,
    hooks,
}: Partial<OperationEndState> & Pick<OperationEndState, "spec">): HookReach {
    const peers = [...(controlPlane ?? []), ...workers];
    return {
        ...(access && { access }),
        machines: Object.fromEntries(
            peers.map(({ name, address, connection }) => {
                const inCluster = hooks?.addresses?.[name] ?? address;
                const serverId = servers[name];
                return [
                    name,
                    {
                        connection,
                        ...(inCluster !== undefined && { address: inCluster }),
                        ...(serverId !== undefined && { serverId }),
                    },
                ];
            }),
        ),
    };
}

function asError(failure: unknown): Error {
    return failure instanceof Error ? failure : new NfvError({ code: "HOOK_FAILED", cause: String(failure) });
}

import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { hasUnknown } from "../../contract/values";
import { beforeOperation } from "../../operation/hooks/before-operation";
import type { RecordedOperation } from "../../operation/hooks/facts";
import type { ClusterHooks, HookReach } from "../../operation/hooks/hook-inputs";
import { forgetRecords } from "../../operation/hooks/record";
import { recordOf, skippedNames, skipVariable } from "../../operation/hooks/run-hook";
import type { OperationStartInputs } from "../../operation/operation-start-inputs";
import { describeHooks, HooksStopped, type OperationsOfRun, runHooks } from "./cluster-hooks";

/** Shows which hooks this run has, in order: those of its operations, and those that an earlier run has left. Returns what is wrong with a hook. */
export async function showHooks(
    operations: OperationsOfRun,
    { hooks }: OperationStartInputs,
    context: Context,
): Promise<string | undefined> {
    if (hooks === undefined) return undefined;
    if (hasUnknown([hooks])) {
        context.note("hooks: which ones run is shown when their parameters are known");
        return undefined;
    }
    try {
        const lines = await describeHooks(hooks, operations);
        if (lines.length === 0) return undefined;
        context.note(`hooks, in this order:\n${lines.map((line, i) => `${i + 1}. ${line}`).join("\n")}`);
        warnOfStrangeNames(hooks, context);
        return undefined;
    } catch (error) {
        if (error instanceof NfvError) return error.message;
        throw error;
    }
}

/** A hook that a person meant to leave out would run. Another cluster of the program may have it, so it is no error. */
function warnOfStrangeNames({ clusterName, list }: ClusterHooks, context: Context): void {
    const names = list.map(({ name }) => name);
    const strange = skippedNames().filter(name => !names.includes(name));
    if (strange.length > 0)
        context.warn(
            `${skipVariable} names ${strange.join(", ")}, but ${clusterName} has no such hook: its hooks are ${names.join(", ")}`,
        );
}

/** Runs the `_start` hooks of these operations, before anything changes. */
export async function runStartHooks(
    operations: readonly RecordedOperation[],
    news: OperationStartInputs,
    context: Context,
): Promise<void> {
    const { hooks, spec } = news;
    if (hooks === undefined || operations.length === 0) return;
    const { clusterId, kubernetesVersion } = spec;
    const { reach, completed } = beforeOperation(context, clusterId);
    // One that waits for a deletion goes on, whatever has ended after it.
    const open = (news.history ?? []).map(({ id }) => Number(id));
    forgetRecords(clusterId, Math.min(completed + 1, ...open));
    for (const operation of operations) for (const { name } of hooks.list) reopen(operation, name, clusterId);
    const before = reach.machines;
    const after = Object.fromEntries(
        Object.keys(spec.nodes).map(name => [name, machineAfter(name, news, operations, reach)]),
    );
    await hooksOrFailure(() =>
        runHooks(
            {
                hooks,
                operations,
                moment: "start",
                clusterId,
                kubernetesVersion,
                reach,
                machines: { before: withoutLogins(before), after },
            },
            context,
        ),
    );
}

/** An operation that begins has had no end, even if this machine knows one: the state may have been restored. */
function reopen(operation: RecordedOperation, hook: string, clusterId: string): void {
    try {
        recordOf(clusterId, operation, hook).reopen();
    } catch {
        // As for a disk that is full: it must not stop an operation.
    }
}

/** A node that stays has its machine; the program knows the address of an existing machine. */
function machineAfter(
    name: string,
    { spec }: OperationStartInputs,
    operations: readonly RecordedOperation[],
    reach: HookReach,
) {
    const isNew = operations.some(({ added, replaced }) => added.includes(name) || replaced.includes(name));
    const { machine } = spec.nodes[name]!;
    if (!isNew && Object.hasOwn(reach.machines, name)) return withoutLogins(reach.machines)[name]!;
    return spec.backEnd === "hosts" && machine !== undefined ? { address: machine } : {};
}

/** What hooks are told of machines: no keys. */
export function withoutLogins(machines: HookReach["machines"]) {
    return Object.fromEntries(
        Object.entries(machines).map(([name, { address, serverId, connection }]) => [
            name,
            {
                sshAddress: connection.host,
                ...(address !== undefined && { address }),
                ...(serverId !== undefined && { serverId }),
            },
        ]),
    );
}

/** The engine shows the hook's own error. */
export async function hooksOrFailure(run: () => Promise<unknown>): Promise<void> {
    try {
        await run();
    } catch (error) {
        throw error instanceof HooksStopped ? error.failure : error;
    }
}

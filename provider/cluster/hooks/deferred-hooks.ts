import type { Context, InSession } from "../../contract/types";
import { withPresentKeys } from "../../machine/rotated-connections";
import type { RecordedOperation } from "../../operation/hooks/facts";
import type { ClusterHooks, HookReach } from "../../operation/hooks/hook-inputs";
import { beforeOperation } from "../../operation/hooks/hook-reach";
import { runHooks } from "./cluster-hooks";
import { withPresent } from "./end-hooks";
import { hooksOrFailure, withoutLogins } from "./start-hooks";

/** The hooks of a run whose program has the cluster. */
interface InRun {
    hooks: ClusterHooks;
    history: readonly RecordedOperation[];
    /** Names of the program's nodes. */
    nodes: readonly string[];
}

class HooksOfRun extends Map<string, InRun> {}

/** Noted by the check of OperationStart. */
export function noteHooks({ session }: InSession, clusterId: string, inRun: InRun): void {
    session.part(HooksOfRun).set(clusterId, inRun);
}

/**
 * Nodes that leave are deleted after everything else, with OperationEnd among it. So the last deletion runs the `_end` hooks of such an operation: see
 * node-end.ts.
 */
export function endsAfterDeletion(
    { kind, direction, removed }: Pick<RecordedOperation, "kind" | "direction" | "removed">,
    ends: readonly string[],
): boolean {
    return kind === "scale" && direction === "in" && removed.length > 0 && removed.every(name => ends.includes(name));
}

/** Nodes whose end this run has begun: "core-0a1b2c3d/w2". */
class EndsBegun extends Set<string> {}

/** The end of a node is the last of it. The last of all nodes that leave runs the hooks. */
export async function endOfNode(clusterId: string, name: string, context: Context): Promise<void> {
    const inRun = context.session.part(HooksOfRun).get(clusterId);
    // A destroy, or a program without hooks.
    if (inRun === undefined) return;
    const { hooks, nodes } = inRun;
    const history = withPresent(inRun.history, nodes);
    const operations = history.filter(({ endsWith, removed }) => endsWith === "deletion" && removed.includes(name));
    const { reach, ends } = beforeOperation(context, clusterId);
    const begun = context.session.part(EndsBegun);
    begun.add(`${clusterId}/${name}`);
    const isThere = (node: string) => ends.includes(node) && !begun.has(`${clusterId}/${node}`);
    const complete = operations.filter(
        ({ removed, after }) => !removed.some(node => isThere(node) && !Object.hasOwn(after, node)),
    );
    if (complete.length === 0) return;
    const before = withoutLogins(reach.machines);
    const after = Object.fromEntries(
        Object.entries(before).filter(([node]) => complete.some(operation => Object.hasOwn(operation.after, node))),
    );
    await hooksOrFailure(() =>
        runHooks(
            {
                ...{ hooks, operations: complete, moment: "end", clusterId, machines: { before, after } },
                reach: { ...reach, machines: presentlyReached(reach.machines, context) },
            },
            context,
        ),
    );
}

/** Nodes that stay may have other keys since the run began. */
function presentlyReached(machines: HookReach["machines"], context: Context): HookReach["machines"] {
    const present = ([name, machine]: [string, HookReach["machines"][string]]) =>
        [name, { ...machine, connection: withPresentKeys(context, machine.connection) }] as const;
    return Object.fromEntries(Object.entries(machines).map(present));
}

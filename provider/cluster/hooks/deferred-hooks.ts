import { nodeKey, runFacts } from "../../contract/run-facts";
import type { Context } from "../../contract/types";
import { withPresentKeys } from "../../machine/rotated-connections";
import { beforeOperation } from "../../operation/hooks/before-operation";
import type { HookReach } from "../../operation/hooks/hook-inputs";
import type { OperationStartInputs } from "../../operation/operation-start-inputs";
import { findOperations } from "../operations-of-run";
import { runHooks } from "./cluster-hooks";
import { withPresent } from "./end-hooks";
import { hooksOrFailure, withoutLogins } from "./start-hooks";

/** The end of a node is the last of it. The last of all nodes that leave runs the hooks. */
export async function endOfNode(clusterId: string, name: string, context: Context): Promise<void> {
    const { program, did } = runFacts(context);
    const given = program.ofCluster<OperationStartInputs>("OperationStart", clusterId);
    const hooks = given?.news.hooks;
    // A destroy, or a program without hooks.
    if (given === undefined || hooks === undefined) return;
    const found = findOperations(given.olds, given.news, context);
    const history = withPresent(found.history ?? [], Object.keys(given.news.spec.nodes));
    const operations = history.filter(({ endsWith, removed }) => endsWith === "deletion" && removed.includes(name));
    const { reach, ends } = beforeOperation(context, clusterId);
    did.endedNodes.add(nodeKey(clusterId, name));
    const isThere = (node: string) => ends.includes(node) && !did.endedNodes.has(nodeKey(clusterId, node));
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

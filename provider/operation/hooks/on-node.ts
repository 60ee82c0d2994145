import { NfvError } from "../../common/errors";
import { plan, runSteps, type StepBody, StepsFailed } from "../../steps";
import type { HookFacts, NodeCommand } from "./contract";
import type { HookTools } from "./tools";

/** Which of a hook's commands it is: the node's journal knows it by that. */
export interface CommandPlace {
    facts: HookFacts;
    hash: string;
    /** 1 for the hook's first command on this node. */
    number: number;
    timeoutSeconds: number;
}

/**
 * Runs a command on a node as a step: with its lease, detached and re-attached. A later attempt for the same operation does not run it again once it
 * has ended well. Returns what it printed.
 */
export async function runOnNode(
    node: string,
    { script, env = {}, secrets, timeoutSeconds }: NodeCommand,
    { facts, hash, number, timeoutSeconds: deadline }: CommandPlace,
    { clusterId, machineOf, report, signal }: HookTools,
): Promise<string> {
    const { hook, event, etsiEvent, operation } = facts;
    const body: StepBody = {
        // An id has no underscores.
        id: `hook.${hook}.${event}.${number}`,
        title: `hook ${hook}: ${etsiEvent}`,
        revision: 1,
        run: script,
        env,
        ...(secrets && { secrets }),
        timeoutSeconds: timeoutSeconds ?? deadline,
        observe: { unseen: "only the hook knows what it did" },
        // Not its number alone: an operation that failed at its start, or a restored state, gives that to another one.
        declaredState: { clusterId, operation, hash, script, env },
    };
    const { connection } = machineOf(node);
    const lines: string[] = [];
    try {
        await runSteps(plan([() => body], {}, ""), {
            ...{ node, clusterId, connection, signal },
            done: {},
            report: text => report(`${node}: ${text}`),
            label: body.title,
            said: text => lines.push(text),
        });
    } catch (error) {
        throw error instanceof StepsFailed ? asHookFailure(error) : error;
    }
    return lines.join("\n");
}

/** The script itself failed; other failures (a lease, a connection) keep their codes and hints. */
function asHookFailure(error: StepsFailed): NfvError {
    if (error.code !== "STEP_FAILED" && error.code !== "STEP_TIMEOUT") return error;
    const { node, step, reason, output } = error;
    return new NfvError({ code: "HOOK_FAILED", node, step, cause: reason, output });
}

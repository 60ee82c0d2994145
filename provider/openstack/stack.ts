import { NfvError } from "../common/errors";
import type { CloudClient } from "./client";
import { getStack, type Stack, type StackResource, stackPath, stackResources } from "./heat";
import { holdsMachine } from "./stack-definitions";

/** A stack as it is now. */
export interface LiveStack {
    id: string;
    name: string;
    /** "CREATE", "UPDATE", "DELETE", "CHECK", … */
    action: string;
    state: "COMPLETE" | "IN_PROGRESS" | "FAILED";
    reason: string;
    tags: string[];
    /** Values with which Heat made it, as Heat shows them. */
    parameters: Record<string, string>;
    /** Values as the template returns them: texts, lists, maps. Undefined values are left out. */
    outputs: Record<string, unknown>;
    /** By output: why Heat does not know its value now, though it may know it later. */
    outputErrors?: Record<string, string>;
}

export interface StackFailure {
    /** Name in the template. */
    resource: string;
    type: string;
    reason: string;
    /** Id of the server, port, … "" if it was never created. */
    physicalId: string;
}

/** By name or id; undefined if the stack does not exist. */
export async function liveStack(cloud: CloudClient, nameOrId: string): Promise<LiveStack | undefined> {
    const stack = await getStack(cloud, nameOrId);
    return stack === undefined ? undefined : live(stack);
}

function live(stack: Stack): LiveStack {
    const [, action = "", state = ""] = /^([A-Z]+)_(\w+)$/.exec(stack.stack_status) ?? [];
    const outputs = (stack.outputs ?? []).filter(each => each.output_value !== null && each.output_value !== undefined);
    const failed = (stack.outputs ?? []).filter(each => each.output_error !== undefined && !outputs.includes(each));
    return {
        id: stack.id,
        name: stack.stack_name,
        action,
        state: state as LiveStack["state"],
        reason: stack.stack_status_reason,
        tags: stack.tags ?? [],
        parameters: stack.parameters ?? {},
        outputs: Object.fromEntries(outputs.map(each => [each.output_key, each.output_value])),
        outputErrors: Object.fromEntries(failed.map(each => [each.output_key, each.output_error!])),
    };
}

/**
 * Whether the resources are what Heat's template and parameters say. A change that failed has left its own there, so they prove nothing
 * for what it did not reach; other actions (check, suspend) hide how the last change ended.
 */
export function isSettled({ action, state }: Pick<LiveStack, "action" | "state">): boolean {
    return state === "COMPLETE" && ["CREATE", "UPDATE", "ROLLBACK"].includes(action);
}

/** Whether its last change did not end as wanted, by its status or, where another action hides that, by its resources. */
export function isUnfinished(
    { action, state }: Pick<LiveStack, "action" | "state">,
    resources: readonly StackResource[],
): boolean {
    const failed = (status: string) => ["INIT_COMPLETE", "CREATE_FAILED", "UPDATE_FAILED"].includes(status);
    const isMissing = ({ resource_type: type, physical_resource_id: id }: StackResource) =>
        holdsMachine(type) && id === "";
    return (
        action === "ROLLBACK" ||
        (state === "FAILED" && ["CREATE", "UPDATE"].includes(action)) ||
        resources.some(each => failed(each.resource_status) || isMissing(each))
    );
}

/** Resource name → its type, status and physical id; also of nested stacks. */
export function resourcesOf(cloud: CloudClient, stack: LiveStack): Promise<StackResource[]> {
    return stackResources(cloud, { id: stack.id, stack_name: stack.name });
}

/**
 * Why a stack failed: the innermost resources that failed, without those that only waited for them. Empty: none failed.
 */
export async function failuresOf(cloud: CloudClient, stack: LiveStack): Promise<StackFailure[]> {
    return rootFailures(await resourcesOf(cloud, stack));
}

const onlyAborted = /aborted|user triggered cancel|^$/i;

/** The pure part of failuresOf. */
export function rootFailures(resources: readonly StackResource[]): StackFailure[] {
    const failed = resources.filter(({ resource_status }) => resource_status.endsWith("_FAILED"));
    const parents = new Set(failed.map(each => each.parent_resource));
    const innermost = failed.filter(each => !parents.has(each.resource_name));
    const real = innermost.filter(each => !onlyAborted.test(each.resource_status_reason));
    return (real.length > 0 ? real : innermost).map(each => ({
        resource: each.resource_name,
        type: each.resource_type,
        reason: each.resource_status_reason,
        physicalId: each.physical_resource_id,
    }));
}

/** The error of a failed stack, with the reason of each resource that failed. */
export function stackError(stack: LiveStack, failures: readonly StackFailure[]): NfvError {
    const lines = failures.map(({ resource, type, reason }) => `${resource} (${type}): ${reason}`);
    return new NfvError({
        code: "STACK_FAILED",
        cause: [
            `the stack "${stack.name}" is ${stack.action}_${stack.state}`,
            ...(lines.length > 0 ? lines : [stack.reason]),
        ].join("\n"),
    });
}

/** Only sends the request: Heat deletes the stack in the background. */
export async function deleteStack(cloud: CloudClient, stack: LiveStack): Promise<void> {
    await cloud.change("orchestration", "DELETE", stackPath({ id: stack.id, stack_name: stack.name }));
}

/** Makes Heat recreate this resource at the next update, whatever the template says. */
export async function markUnhealthy(
    cloud: CloudClient,
    stack: LiveStack,
    resource: string,
    reason: string,
): Promise<void> {
    await setMark(cloud, stack, resource, { mark_unhealthy: true, resource_status_reason: reason.slice(0, 255) });
}

/** Removes the mark, so that Heat keeps the resource. */
export async function markHealthy(cloud: CloudClient, stack: LiveStack, resource: string): Promise<void> {
    await setMark(cloud, stack, resource, { mark_unhealthy: false });
}

async function setMark(cloud: CloudClient, stack: LiveStack, resource: string, body: object): Promise<void> {
    const path = `${stackPath({ id: stack.id, stack_name: stack.name })}/resources/${encodeURIComponent(resource)}`;
    await cloud.change("orchestration", "PATCH", path, { body });
}

export interface WaitOptions {
    timeoutSeconds: number;
    /** @default 2 */
    pauseSeconds?: number;
    report?: (text: string) => void;
    signal?: AbortSignal;
}

/** The stack once no operation is in progress; undefined if it does not exist. @throws STACK_BUSY after the timeout */
export async function finishedStack(
    cloud: CloudClient,
    nameOrId: string,
    { timeoutSeconds, pauseSeconds = 2, report, signal }: WaitOptions,
): Promise<LiveStack | undefined> {
    const end = Date.now() + timeoutSeconds * 1000;
    for (;;) {
        const stack = await liveStack(cloud, nameOrId);
        if (stack?.state !== "IN_PROGRESS") return stack;
        if (signal?.aborted) throw new NfvError({ code: "CANCELLED", cause: `waiting for the stack "${stack.name}"` });
        if (Date.now() >= end) {
            const cause = `the stack "${stack.name}" is still ${stack.action}_IN_PROGRESS after ${timeoutSeconds} s`;
            throw new NfvError({ code: "STACK_BUSY", cause });
        }
        report?.(`wait for the stack: ${stack.action.toLowerCase()} in progress`);
        await new Promise(resolve => setTimeout(resolve, pauseSeconds * 1000));
    }
}

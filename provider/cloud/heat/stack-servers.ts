import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import type { Context, InSession } from "../../contract/types";
import { cloudClient } from "../../machine/server";
import {
    type CloudClient,
    deleteStack,
    failuresOf,
    finishedStack,
    getServer,
    isSettled,
    type LiveStack,
    resourcesOf,
    stackError,
} from "../../openstack";
import type { StackResource } from "../../openstack/heat";
import { isDeleted } from "../../openstack/nova";
import { ownerTag } from "../../openstack/requirements";
import type { CloudStartSpec } from "../cloud-start-inputs";

/** How long to wait for a stack operation that a killed run left in progress, in seconds. */
const rightsWaitSeconds = 1800;

/** Our stack once no operation is in progress; undefined if it does not exist. @throws STACK_BUSY, NOT_OURS */
export async function stackOf(spec: CloudStartSpec, context: Context): Promise<LiveStack | undefined> {
    const stack = await settledStack(spec, context);
    if (stack !== undefined) refuseStackOfOthers(spec, stack);
    return stack;
}

/**
 * Names of stacks are free again once a stack is deleted: another program may have made its own by now. A stack without an owner's tag
 * may still be ours, because Heat stores tags a moment later.
 */
export function isOfOthers({ owner }: Pick<CloudStartSpec, "owner">, { tags }: LiveStack): boolean {
    const tag = ownerTagOf(tags);
    return owner !== undefined && tag !== undefined && tag !== `${ownerTag}=${owner}`;
}

const ownerTagOf = (tags: readonly string[]) => tags.find(tag => tag.startsWith(`${ownerTag}=`));

/** @throws NOT_OURS */
export function refuseStackOfOthers(spec: Pick<CloudStartSpec, "owner">, stack: LiveStack): void {
    if (!isOfOthers(spec, stack)) return;
    throw new NfvError({
        code: "NOT_OURS",
        step: "look at the stack",
        cause:
            `the stack "${stack.name}" (${stack.id}) has the tag ${ownerTagOf(stack.tags)}, and this cluster's is ${ownerTag}=${spec.owner}: ` +
            "another program made it",
        hint:
            "Nothing was changed. The stack of this cluster must have been deleted before, and its servers with it. To give the cluster up: pulumi destroy, " +
            "which leaves that stack alone. To build it again after that: give it another clusterName.",
    });
}

function settledStack(spec: CloudStartSpec, context: Context): Promise<LiveStack | undefined> {
    const { report, signal } = context;
    return finishedStack(cloudClient(context, spec.cloud), stackName(spec), {
        timeoutSeconds: rightsWaitSeconds,
        report,
        signal,
    });
}

export const stackName = (spec: CloudStartSpec) => spec.stackName ?? spec.clusterName;

/** A stack, asked for once before it changes. */
export interface SeenStack {
    cloud: CloudClient;
    stack: LiveStack;
    /** Of the stack itself. */
    resources: readonly StackResource[];
}

/**
 * Resources of the stack itself: resources of nested stacks may have the same names. @throws CLOUD_UNREACHABLE where a complete stack would have none: all
 * its servers would seem never to have been there
 */
export async function topResources(cloud: CloudClient, stack: LiveStack): Promise<StackResource[]> {
    const found = (await resourcesOf(cloud, stack)).filter(({ parent_resource }) => !parent_resource);
    if (found.length > 0 || !isSettled(stack)) return found;
    throw new NfvError({
        code: "CLOUD_UNREACHABLE",
        cause: `Heat lists no resource of the stack "${stack.name}" (${stack.id}), which is ${stack.action}_${stack.state}; nothing was changed`,
        hint: `Look at it: openstack stack resource list ${stack.id}. Then run pulumi up again.`,
    });
}

/** Logical names of what is recreated when a server is lost, for each node and the jump server. */
export function healedOf({ nodes, jump }: Pick<CloudStartSpec, "nodes" | "jump">): Map<string, string[]> {
    const ofNodes = Object.entries(nodes).flatMap(([name, { stack }]): [string, string[]][] =>
        stack === undefined
            ? []
            : [[name, [stack.server, ...(stack.healed ?? []).filter(each => each !== stack.server)]]],
    );
    return new Map([
        ...ofNodes,
        ...(jump?.server === undefined ? [] : ([[jump.name, [jump.server]]] as [string, string[]][])),
    ]);
}

export const isServer = ({ resource_type }: StackResource) => resource_type === "OS::Nova::Server";

/** Nova id → name of the node or of the jump server, of servers that were created. */
export function nodesById(
    resources: readonly StackResource[],
    spec: Pick<CloudStartSpec, "nodes" | "jump">,
): Map<string, string> {
    const names = new Map([...healedOf(spec)].map(([name, [server]]) => [server!, name]));
    const ours = resources.filter(each => isServer(each) && each.physical_resource_id !== "");
    return new Map(
        ours.flatMap(({ resource_name, physical_resource_id: id }) => {
            const name = names.get(resource_name);
            return name === undefined ? [] : [[id, name] as const];
        }),
    );
}

/** Nova ids of the servers by name; servers that were never created are left out. */
export async function serverIds(
    cloud: CloudClient,
    stack: LiveStack,
    spec: Pick<CloudStartSpec, "nodes" | "jump">,
): Promise<Map<string, string>> {
    const named = [...nodesById(await topResources(cloud, stack), spec)];
    return new Map(named.map(([id, name]) => [name, id]));
}

/**
 * Node → whether Nova has its server, in any state: one in ERROR may run. Servers that were never created are left out.
 */
export async function serversThere(
    { cloud: settings, nodes }: Pick<CloudStartSpec, "cloud" | "nodes">,
    stack: LiveStack,
    context: InSession,
): Promise<Map<string, boolean>> {
    const cloud = cloudClient(context, settings);
    const ids = [...(await serverIds(cloud, stack, { nodes }))];
    const servers = await Promise.all(ids.map(([, id]) => getServer(cloud, id)));
    return new Map(ids.map(([name], i) => [name, !isDeleted(servers[i])]));
}

/**
 * Deletes a stack that a killed run left and no state has: Pulumi records a stack only when it is complete. Usually
 * there is none.
 */
export async function deleteOrphan(spec: CloudStartSpec, context: Context): Promise<void> {
    const cloud = cloudClient(context, spec.cloud);
    const stack = await settledStack(spec, context);
    if (stack === undefined) return;
    if (spec.owner === undefined || !stack.tags.includes(`${ownerTag}=${spec.owner}`)) {
        context.warn(`the stack "${stack.name}" is still there; it has no tag of this cluster, so it stays`);
        return;
    }
    context.report(`delete the stack "${stack.name}", which a killed run left behind`);
    await deleteWholly(cloud, stack, context);
}

/** @throws STACK_FAILED, STACK_BUSY */
export async function deleteWholly(
    cloud: CloudClient,
    stack: LiveStack,
    { report, signal }: Pick<Context, "report" | "signal">,
): Promise<void> {
    await deleteStack(cloud, stack);
    const end = Date.now() + rightsWaitSeconds * 1000;
    // Heat answers before it begins, so a stack that is still COMPLETE is not deleted yet.
    for (let left: LiveStack | undefined = stack; left !== undefined && Date.now() < end; ) {
        await sleep(1000, undefined, { signal });
        left = await finishedStack(cloud, stack.id, { timeoutSeconds: rightsWaitSeconds, report, signal });
        if (left?.action === "DELETE" && left.state === "FAILED") throw stackError(left, await failuresOf(cloud, left));
    }
}

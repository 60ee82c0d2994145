import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import {
    type CloudClient,
    deleteStack,
    failuresOf,
    getServer,
    type LiveStack,
    liveStack,
    markUnhealthy,
    resourcesOf,
    settledStack,
    stackError,
} from "../openstack";
import { ownerTag } from "../openstack/needs";
import { isDeleted } from "../openstack/nova";
import type { OperationStartInputs, OperationStartSpec, OperationStartState } from "./operation-start-inputs";
import { cloudClient } from "./server";
import type { Context } from "./types";

/** How long a stack that a killed run left in progress is waited for, in seconds. */
const settleSeconds = 1800;

/** The stack when nothing happens in it any more; undefined: there is none. @throws STACK_BUSY */
export async function stackOf(spec: OperationStartSpec, context: Context): Promise<LiveStack | undefined> {
    const { report, signal } = context;
    return settledStack(cloudClient(spec.cloud), stackName(spec), { timeoutSeconds: settleSeconds, report, signal });
}

const stackName = (spec: OperationStartSpec) => spec.stackName ?? spec.clusterName;

/** Ids of the servers in Nova by node name; those that were never made are left out. */
async function serverIds(
    cloud: CloudClient,
    stack: LiveStack,
    nodes: OperationStartSpec["nodes"],
): Promise<Map<string, string>> {
    const made = new Map(
        (await resourcesOf(cloud, stack)).map(each => [each.resource_name, each.physical_resource_id]),
    );
    const ids = Object.entries(nodes).map(([name, node]) => [name, made.get(node.stack?.server ?? "") ?? ""] as const);
    return new Map(ids.filter(([, id]) => id !== ""));
}

/** Node → whether its server is there, running or not; those that were never made are left out. */
export async function serversThere(
    { cloud: settings, nodes }: OperationStartSpec,
    stack: LiveStack,
): Promise<Map<string, boolean>> {
    const cloud = cloudClient(settings);
    const ids = [...(await serverIds(cloud, stack, nodes))];
    const servers = await Promise.all(ids.map(([, id]) => getServer(cloud, id)));
    const isThere = (server: (typeof servers)[number]) => !isDeleted(server) && server?.status !== "ERROR";
    return new Map(ids.map(([name], i) => [name, isThere(servers[i])]));
}

/** Nodes whose servers Heat believes to be there, and Nova does not have or gave up. */
export async function lostServers(state: OperationStartState, context: Context): Promise<string[]> {
    const { spec } = state;
    if (spec.backEnd !== "heat") return [];
    try {
        const stack = await liveStack(cloudClient(spec.cloud), stackName(spec));
        if (stack === undefined || stack.state === "IN_PROGRESS") return [];
        const lost = [...(await serversThere(spec, stack))].flatMap(([name, isThere]) => (isThere ? [] : [name]));
        if (lost.length > 0) context.warn(`the servers of ${lost.join(", ")} are lost: the next up makes them anew`);
        return lost;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${spec.clusterName}: servers were not looked after: ${error.reason}`);
        return state.missing ?? [];
    }
}

/** Tells Heat about servers that a refresh did not find; the raised generation makes it look at them. */
export async function markLost(olds: OperationStartState, news: OperationStartInputs, context: Context): Promise<void> {
    const lost = (olds.missing ?? []).filter(name => news.spec.nodes[name]?.stack !== undefined);
    if (lost.length === 0) return;
    const cloud = cloudClient(news.spec.cloud);
    const stack = await stackOf(news.spec, context);
    if (stack === undefined) return;
    const made = new Set((await resourcesOf(cloud, stack)).map(each => each.resource_name));
    for (const name of lost) {
        context.report(`the server of ${name} is to be made anew`);
        const { server, healed = [server] } = news.spec.nodes[name]!.stack!;
        for (const resource of healed.filter(each => made.has(each))) {
            await markUnhealthy(cloud, stack, resource, "pulumi-nfv: the server is lost");
        }
    }
}

/**
 * A stack that a killed run left in the cloud and of which no state knows: Pulumi records one only when it is complete. Where there
 * is none, which is nearly always, nothing happens.
 */
export async function deleteOrphan(spec: OperationStartSpec, context: Context): Promise<void> {
    const cloud = cloudClient(spec.cloud);
    const stack = await stackOf(spec, context);
    if (stack === undefined) return;
    if (spec.owner === undefined || !stack.tags.includes(`${ownerTag}=${spec.owner}`)) {
        context.warn(`the stack "${stack.name}" is still there; it has no tag of this cluster, so it stays`);
        return;
    }
    context.report(`delete the stack "${stack.name}", which a killed run left behind`);
    await deleteStack(cloud, stack);
    const end = Date.now() + settleSeconds * 1000;
    // Heat answers before it begins: what is COMPLETE still is as it was.
    for (let left: LiveStack | undefined = stack; left !== undefined && Date.now() < end; ) {
        await sleep(1000, undefined, { signal: context.signal });
        left = await stackOf(spec, context);
        if (left?.action === "DELETE" && left.state === "FAILED") throw stackError(left, await failuresOf(cloud, left));
    }
}

import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../../../provider/adapters/dynamic";
import type { CloudStartSpec } from "../../../../provider/cloud/cloud-start-inputs";
import { deleteWholly, isServer, nodesById } from "../../../../provider/cloud/heat/stack-servers";
import { type ServersOwner, wordOfAll } from "../../../../provider/cloud/orphans/orphan-servers";
import { NfvError } from "../../../../provider/common/errors";
import type { Context } from "../../../../provider/contract/types";
import { type CloudClient, openCloud } from "../../../../provider/openstack/client";
import type { CloudSettings } from "../../../../provider/openstack/settings";
import { failuresOf, type LiveStack, liveStack, resourcesOf, stackError } from "../../../../provider/openstack/stack";
import { howToRestoreState } from "../../../../provider/operation/restore-state";
import { contextOf, knownValue } from "../hook-context";
import { dependsOnMachines, type RecoveryAction, recoveryOf, type StackFailure } from "./stack-recovery";

export interface StackHookSettings {
    cloud: CloudSettings;
    stackName: string;
    /** The stack's owner, and how its machines are reached. */
    owner: DeepInput<ServersOwner>;
    /** The nodes in the stack, and the jump server. */
    inStack: Pick<CloudStartSpec, "nodes" | "jump">;
    /** Resource whose row shows messages. Not the stack itself: the program knows its URN only after the hook. */
    parent: pulumi.Resource;
}

/**
 * Handles the plug-in's failure to create or change the stack; the plug-in itself reports "is in error status" only. Repairs what can
 * be repaired and lets the engine try again; otherwise reports the reasons that Heat knows.
 */
export function stackErrorHook(name: string, settings: StackHookSettings): pulumi.ErrorHook {
    const context = contextOf(settings.parent);
    return new pulumi.ErrorHook(name, async args => {
        const cloud = openCloud(settings.cloud);
        try {
            return await answer(cloud, settings, args, context);
        } catch (error) {
            await tell("error", error, settings);
            return false;
        } finally {
            cloud.close();
        }
    });
}

async function answer(
    cloud: CloudClient,
    settings: StackHookSettings,
    args: pulumi.ErrorHookArgs,
    context: Context,
): Promise<boolean> {
    const stack = await stackWithTags(cloud, settings.stackName);
    const trouble: StackFailure = {
        operation: args.failedOperation,
        error: args.errors[0] ?? "",
        failures: args.errors.length,
        stack,
        tags: ((args.newInputs ?? args.oldInputs)?.["tags"] ?? []) as string[],
    };
    const machines =
        stack && dependsOnMachines(trouble) ? await machinesOf(cloud, stack, settings, context) : undefined;
    const remedy = recoveryOf({ ...trouble, machines });
    if (stack) return actions[remedy as keyof typeof actions](cloud, stack, settings);
    if (remedy === "again") await new Promise(resolve => setTimeout(resolve, 2000));
    return remedy === "again";
}

const mostLooks = 10;

/**
 * Heat stores the tags of a stack a moment after the stack, and a request that reaches it twice (a connection that broke) finds the
 * stack of the first: without its tags it would seem to be somebody else's.
 */
export async function stackWithTags(cloud: CloudClient, name: string, pauseMs = 1000): Promise<LiveStack | undefined> {
    for (let looks = 1; ; looks++) {
        const stack = await liveStack(cloud, name);
        if (stack === undefined || stack.tags.length > 0 || looks === mostLooks) return stack;
        await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
}

async function machinesOf(cloud: CloudClient, stack: LiveStack, settings: StackHookSettings, context: Context) {
    const resources = (await resourcesOf(cloud, stack)).filter(isServer);
    const ids = resources.map(each => each.physical_resource_id).filter(id => id !== "");
    return wordOfAll(
        ids,
        nodesById(resources, { nodes: settings.inStack.nodes }),
        await knownValue(settings.owner),
        context,
    );
}

type Action = (cloud: CloudClient, stack: LiveStack, settings: StackHookSettings) => Promise<boolean>;

const actions: Record<Exclude<RecoveryAction, "again" | "none">, Action> = {
    recreate: async (cloud, stack, settings) => {
        const what = `the stack "${stack.name}" is what a run left that did not end (${stack.action}_${stack.state})`;
        await tell("info", `${what}: it is deleted, then made again`, settings);
        await deleteWholly(cloud, stack, contextOf(settings.parent));
        return true;
    },
    busy: async (_cloud, stack) => {
        throw new NfvError({
            code: "STACK_BUSY",
            cause: `another change of the stack "${stack.name}" began at the same moment (${stack.action}_${stack.state}); this one was not made`,
        });
    },
    explain: async (cloud, stack) => {
        if (stack.state === "IN_PROGRESS") {
            const cause = `the stack "${stack.name}" is ${stack.action}_IN_PROGRESS`;
            throw new NfvError({ code: "STACK_BUSY", cause });
        }
        if (stack.state === "FAILED") throw stackError(stack, await failuresOf(cloud, stack));
        return false;
    },
    foreign: async (_cloud, stack) => {
        throw new NfvError({
            code: "STACK_FAILED",
            cause: `there is a stack "${stack.name}" already, and it is not of this cluster`,
            hint: `Give infrastructure.heat.stackName another value. If nobody needs that stack: openstack stack delete --wait ${stack.name}`,
        });
    },
    alive: async (_cloud, stack) => {
        throw new NfvError({
            code: "STACK_FAILED",
            cause: `the stack "${stack.name}" of this cluster exists (${stack.action}_${stack.state}), and another one of that name was to be made`,
            hint:
                "A stack with a cluster on it is not replaced: leave it out of --replace; where it is tainted, pulumi state untaint. " +
                `If Pulumi's state does not know it, restore the one that does (${stack.id}): ${howToRestoreState}. ` +
                `If the cluster on it may be lost: openstack stack delete --wait ${stack.name}, then run pulumi up again.`,
        });
    },
    unclear: async (_cloud, stack) => {
        throw new NfvError({
            code: "STACK_FAILED",
            cause: `the stack "${stack.name}" of this cluster (${stack.id}, ${stack.action}_${stack.state}) is not in Pulumi's state, and whether its servers are in use is not certain: not all answer by SSH`,
            hint:
                `If a killed run left it: openstack stack delete --wait ${stack.name}, then run pulumi up again. ` +
                "If a cluster is on it, restore the state that knows it.",
        });
    },
};

async function tell(severity: "info" | "error", what: unknown, { parent }: StackHookSettings): Promise<void> {
    await pulumi.log[severity](what instanceof Error ? what.message : String(what), parent);
}

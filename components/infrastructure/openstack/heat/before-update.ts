import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import type { DeepInput } from "../../../../provider/adapters/dynamic";
import { promiseOf, valueIfKnown } from "../../../../provider/adapters/later";
import type { CloudStartSpec } from "../../../../provider/cloud/cloud-start-inputs";
import { examination } from "../../../../provider/cloud/heat/lost-servers";
import { type Marked, settleMarks } from "../../../../provider/cloud/heat/stack-marks";
import { type SeenStack, topResources } from "../../../../provider/cloud/heat/stack-servers";
import type { ServersOwner } from "../../../../provider/cloud/orphans/orphan-servers";
import { NfvError } from "../../../../provider/common/errors";
import type { Context } from "../../../../provider/contract/types";
import { openCloud } from "../../../../provider/openstack/client";
import type { CloudSettings } from "../../../../provider/openstack/settings";
import { finishedStack, type LiveStack, liveStack } from "../../../../provider/openstack/stack";
import type { WantedStack } from "../../../../provider/openstack/stack-forecast";
import { unknownSetting } from "../../../../provider/operation/operation-start-inputs";
import { contextOf } from "../hook-context";
import { refuseLosses } from "./refuse-losses";
import type { Machines } from "./replaceable";

export interface UpdateGuard {
    cloud: CloudSettings;
    stackName: string;
    /** `stackHash` of the stack for which nodes that leave were taken out of the cluster, and which was allowed. */
    prepared: pulumi.Input<string | undefined>;
    /** Server of the stack → Nova id of those whose nodes OperationStart has taken out of the cluster. */
    takenOut: pulumi.Input<Readonly<Record<string, string>> | undefined>;
    /** What OperationStart has marked as lost. */
    marked: pulumi.Input<Marked | undefined>;
    /** The nodes in the stack, and the jump server. */
    inStack: Pick<CloudStartSpec, "nodes" | "jump">;
    /** Whether a server beside the stack uses its network and security groups. */
    isJoined?: boolean;
    /** The stack's owner, and how its machines are reached. */
    owner: DeepInput<ServersOwner>;
    parent: pulumi.Resource;
}

/** The stack that the program wants. */
export interface PlannedStack {
    template: string;
    parameters: Record<string, pulumi.Input<string>>;
    /** Of all that OperationStart compares. */
    hash: pulumi.Output<string>;
}

/** How long to wait for an operation that a killed run left in progress, in seconds. */
const busySeconds = 1800;

/**
 * Runs before the stack is changed, and only if it will change: Heat deletes or replaces servers at once. A preview looks, too, as far
 * as everything is known.
 */
export function beforeUpdate(guard: UpdateGuard, wanted: PlannedStack): pulumi.ResourceHookFunction {
    const context = contextOf(guard.parent);
    return async ({ id, newInputs, oldInputs }) => {
        await refuseUnprepared(guard, wanted.hash);
        const isPreview = pulumi.runtime.isDryRun();
        const { takenOut, marked } = guard;
        const given = pulumi.output({ takenOut, marked, parameters: wanted.parameters });
        const known = await (isPreview ? valueIfKnown(given) : promiseOf(given));
        if (known === undefined) return;
        const owner = await valueIfKnown(pulumi.output(guard.owner) as pulumi.Output<ServersOwner>);
        const cloud = openCloud(guard.cloud);
        try {
            const wait = { timeoutSeconds: busySeconds, report: context.report };
            const stack = await (isPreview ? liveStack(cloud, id) : finishedStack(cloud, id, wait));
            if (stack === undefined && !isPreview) throw noStack(guard.stackName);
            if (stack === undefined || stack.state === "IN_PROGRESS") return;
            const resources = await topResources(cloud, stack);
            const machines = owner && machinesOf(owner, guard.inStack, stack, context);
            const names = { later: namesIn(templateIn(newInputs)), former: await stackIn(oldInputs) };
            const { server: jump } = guard.inStack.jump ?? {};
            const { isJoined } = guard;
            const { parameters, ...allowed } = { ...known, isJoined, ...(jump !== undefined && { jump }) };
            const change = { template: wanted.template, parameters };
            await refuseHarm(
                { cloud, stack, resources },
                change,
                { ...allowed, ...names, machines, isPreview },
                context,
            );
        } finally {
            cloud.close();
        }
    };
}

/** Pulumi is about to change it, so it may be there for the plug-in: what the change would cost is not known. */
function noStack(name: string): NfvError {
    return new NfvError({
        code: "STACK_FAILED",
        cause: `Heat does not have the stack "${name}" of Pulumi's state for these credentials; nothing was changed`,
        hint: "If it was deleted: pulumi up --refresh. If the credentials are of another project or region, correct them.",
    });
}

/** What is known of a change, besides the stack that it leads to. */
export interface Change {
    takenOut: Readonly<Record<string, string>> | undefined;
    marked: Marked | undefined;
    machines: Machines | undefined;
    /** Resource of the jump server. */
    jump?: string;
    /** Whether a server beside the stack uses its security groups. */
    isJoined?: boolean;
    isPreview: boolean;
    /** Names of the resources in the program's template. */
    later: readonly string[];
    /** The stack in the state. */
    former: WantedStack;
}

/** @throws STACK_FAILED, QUORUM_AT_RISK if the change would cost what lives */
export async function refuseHarm(
    live: SeenStack,
    wanted: WantedStack,
    { takenOut = {}, marked = {}, later, former, ...change }: Change,
    context: Context,
): Promise<void> {
    const names = live.resources.map(each => each.resource_name);
    const leaving = new Set(names.filter(name => !later.includes(name)));
    const { machines, isPreview } = change;
    if (!isPreview && machines)
        await settleMarks(live, machines, { marked, leaving, examined: machines.examined }, context);
    const known = new Set([...later, ...namesIn(former.template)]);
    await refuseLosses(live, wanted, { ...change, former, marked, takenOut, known }, context);
}

export function machinesOf(
    owner: ServersOwner,
    inStack: UpdateGuard["inStack"],
    stack: LiveStack,
    context: Context,
): Machines {
    const { clusterId, cloud, ssh, seed } = owner;
    const machines = { spec: { ...inStack, clusterId, cloud }, ssh, ...(seed !== undefined && { seed }) };
    return { ...machines, owner, examined: examination(machines, stack, context) };
}

/**
 * `pulumi up --target` or `--exclude` can leave out the resource that refuses a change, or takes the nodes out of the
 * cluster before it.
 */
export async function refuseUnprepared(
    { stackName, prepared }: Pick<UpdateGuard, "stackName" | "prepared">,
    hash: pulumi.Output<string>,
): Promise<void> {
    const [before, after] = (await valueIfKnown(pulumi.all([prepared, hash]))) ?? [];
    if (before === undefined || before === after || [before, after].includes(unknownSetting)) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `the stack ${stackName} changes, and --target or --exclude leaves out the resource that prepares the cluster for it; nothing was touched`,
        hint: "Run pulumi up without them, or add the cluster's OperationStart to --target.",
    });
}

function templateIn(inputs: object | undefined): string {
    const { templateOpts } = (inputs ?? {}) as { templateOpts?: { Bin?: string } };
    return templateOpts?.Bin ?? "";
}

/** A hook gets what is secret as an output, here all parameters because of one. */
export async function stackIn(inputs: object | undefined): Promise<WantedStack> {
    const { parameters = {} } = (inputs ?? {}) as { parameters?: pulumi.Input<Record<string, string>> };
    return { template: templateIn(inputs), parameters: await promiseOf(pulumi.output(parameters)) };
}

/** Names of the resources in the template. */
function namesIn(template: string): string[] {
    return Object.keys((parse(template) as { resources?: object } | null)?.resources ?? {});
}

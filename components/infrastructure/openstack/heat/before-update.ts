import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { NfvError } from "../../../../provider/errors";
import { promiseOf, valueIfKnown } from "../../../../provider/later";
import { openCloud } from "../../../../provider/openstack/client";
import type { StackResource } from "../../../../provider/openstack/heat";
import type { CloudSettings } from "../../../../provider/openstack/settings";
import { type LiveStack, liveStack } from "../../../../provider/openstack/stack";
import type { CloudStartSpec } from "../../../../provider/resources/cloud-start-inputs";
import { unknownSetting } from "../../../../provider/resources/operation-start-inputs";
import { type Marked, settleMarks } from "../../../../provider/resources/stack-marks";
import { topResources } from "../../../../provider/resources/stack-servers";
import { contextOf } from "../hook-context";

export interface UpdateGuard {
    cloud: CloudSettings;
    stackName: string;
    /** `stackHash` of the stack for which nodes that leave were taken out of the cluster, and which was allowed. */
    prepared: pulumi.Input<string | undefined>;
    /** Servers whose nodes OperationStart has taken out of the cluster. */
    takenOut: pulumi.Input<readonly string[] | undefined>;
    /** What OperationStart has marked as lost. */
    marked: pulumi.Input<Marked | undefined>;
    /** The nodes in the stack, and the jump server. */
    inStack: Pick<CloudStartSpec, "nodes" | "jump">;
    parent: pulumi.Resource;
}

/**
 * Runs before the stack is changed, and only if it will change: Heat deletes or replaces servers at once. At preview it
 * compares what is known; in an `up` it looks at the stack again. `hash`: the stack that the program wants.
 */
export function beforeUpdate(guard: UpdateGuard, hash: pulumi.Output<string>): pulumi.ResourceHookFunction {
    const context = contextOf(guard.parent);
    return async ({ newInputs, oldInputs }) => {
        await refuseUnprepared(guard, hash);
        if (pulumi.runtime.isDryRun()) return;
        const cloud = openCloud(guard.cloud);
        try {
            const stack = await liveStack(cloud, guard.stackName);
            if (stack === undefined) return;
            const { takenOut = [], marked = {} } = await promiseOf(
                pulumi.output({ takenOut: guard.takenOut, marked: guard.marked }),
            );
            const resources = await topResources(cloud, stack);
            const [wanted, former] = [newInputs, oldInputs].map(resourcesIn);
            refuseUnknownServers(stack, resources, [...wanted!, ...former!, ...takenOut]);
            const names = resources.map(each => each.resource_name);
            const leaving = new Set(names.filter(name => !wanted!.includes(name)));
            await settleMarks({ cloud, stack, resources }, guard.inStack, { marked, leaving }, context);
        } finally {
            cloud.close();
        }
    };
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

/** Names of the resources in the template. */
function resourcesIn(inputs: object | undefined): string[] {
    const { templateOpts } = (inputs ?? {}) as { templateOpts?: { Bin?: string } };
    return Object.keys((parse(templateOpts?.Bin ?? "") as { resources?: object } | null)?.resources ?? {});
}

/** A state that was restored from before a scale out does not know the servers that were made since. */
export function refuseUnknownServers(
    stack: LiveStack,
    resources: readonly StackResource[],
    known: readonly string[],
): void {
    const servers = resources.filter(
        each => each.resource_type === "OS::Nova::Server" && each.physical_resource_id !== "",
    );
    const unknown = servers.map(each => each.resource_name).filter(name => !known.includes(name));
    if (unknown.length === 0) return;
    throw new NfvError({
        code: "STACK_FAILED",
        cause: `the stack "${stack.name}" has servers that neither the state nor the program knows (${unknown.join(", ")}), and Heat would delete them; nothing was changed`,
        hint: "Is the state an old one? Restore the newest, or raise the counts of the program to what the stack has, run pulumi up --refresh, then lower them.",
    });
}

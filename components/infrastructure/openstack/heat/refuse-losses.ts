import type { SeenStack } from "../../../../provider/cloud/heat/stack-servers";
import { NfvError } from "../../../../provider/common/errors";
import type { Context } from "../../../../provider/contract/types";
import type { StackResource } from "../../../../provider/openstack/heat";
import type { LiveStack } from "../../../../provider/openstack/stack";
import { forecastUpdate, type StackForecast, type WantedStack } from "../../../../provider/openstack/stack-forecast";
import { howToRestoreState } from "../../../../provider/operation/restore-state";
import { type Replacements, replaceable } from "./replaceable";

/** Types whose replacement takes no machine, no data and no connection for long. All others are refused. */
const harmless = new Set([
    "OS::Heat::CloudConfig",
    "OS::Heat::MultipartMime",
    "OS::Heat::None",
    "OS::Heat::SoftwareConfig",
    "OS::Heat::StructuredConfig",
    "OS::Heat::Value",
    "OS::Neutron::FloatingIPAssociation",
    "OS::Neutron::SecurityGroup",
    "OS::Neutron::SecurityGroupRule",
    "OS::Nova::KeyPair",
]);

/** What may go although it exists. */
export interface Allowed extends Omit<Replacements, "replaced"> {
    /** Resource → id of those whose nodes have left the cluster. */
    takenOut: Readonly<Record<string, string>>;
    /** The stack in the state. */
    former: WantedStack;
    /** Resources that the state or the program has. A state that was restored may be older than the stack. */
    known: ReadonlySet<string>;
    /** Whether a server beside the stack uses its security groups: Heat could not delete one that it has replaced. */
    isJoined?: boolean;
}

/** What of the forecast needs a reason: it exists, and would be lost. Pure. */
export function atStake(
    { replaced, deleted }: Pick<StackForecast, "replaced" | "deleted">,
    resources: readonly StackResource[],
    isJoined = false,
): Pick<StackForecast, "replaced" | "deleted"> {
    const made = new Map(resources.map(each => [each.resource_name, each]));
    const isHarmless = ({ resource_type: type }: StackResource) =>
        harmless.has(type) && !(isJoined && type === "OS::Neutron::SecurityGroup");
    const there = (names: readonly string[]) =>
        names
            .filter(name => made.has(name) && made.get(name)!.physical_resource_id !== "")
            .filter(name => !isHarmless(made.get(name)!))
            .sort();
    return { replaced: there(replaced), deleted: there(deleted) };
}

/**
 * Asks Heat right before it changes the stack what it will do, whatever the reason: an old state, an image that moved, a mark, an
 * error. Only Heat can tell.
 * @throws STACK_FAILED
 */
export async function refuseLosses(
    live: SeenStack,
    wanted: WantedStack,
    { takenOut, known, former, isJoined, ...reasons }: Allowed,
    context: Context,
): Promise<void> {
    const { cloud, stack, resources } = live;
    const forecast = await forecastUpdate(cloud, stack, resources, wanted, former);
    if (forecast.disturbed.length > 0) throw oldState(stack, forecast.disturbed);
    const { replaced, deleted } = atStake(forecast, resources, isJoined);
    const free = replaced.length === 0 ? new Set() : await replaceable(live, { replaced, ...reasons }, context);
    const made = new Map(resources.map(each => [each.resource_name, each]));
    const wrong = replaced.filter(name => !free.has(name)).map(name => made.get(name)!);
    if (wrong.length > 0) throw replacement(stack, wrong);
    const lost = deleted.filter(name => !known.has(name) && takenOut[name] !== made.get(name)!.physical_resource_id);
    if (lost.length > 0) throw loss(stack, lost);
}

function replacement({ name: stack }: LiveStack, resources: readonly StackResource[]): NfvError {
    const names = resources.map(each => each.resource_name);
    // Heat tries again to change what it has in order, and replaces much of what it has as failed.
    const failed = resources.filter(each => each.resource_status === "UPDATE_FAILED").map(each => each.resource_name);
    const mark = (name: string) => `openstack stack resource mark unhealthy ${stack} ${name}`;
    const reset = (name: string) => `openstack stack resource mark unhealthy --reset ${stack} ${name}`;
    return new NfvError({
        code: "STACK_FAILED",
        cause: `with this change Heat would replace ${names.join(", ")} of the stack "${stack}", which exist; nothing was changed`,
        hint: [
            "Run pulumi up --refresh: it takes from the cloud what the servers were made of, and which are lost. " +
                `Is the state an old one, restore the newest: ${howToRestoreState}. ` +
                "Should a node's server be made again, drain the node, delete the server (openstack server delete), run pulumi up --refresh. " +
                "What is no node's is made again under another name in the template.",
            ...(failed.length === 0
                ? []
                : [
                      `Heat has ${failed.join(", ")} as UPDATE_FAILED. What of it is in order, make Heat forget that: ` +
                          failed.map(name => `${mark(name)}; ${reset(name)}`).join("; "),
                  ]),
        ].join("\n"),
    });
}

function oldState({ name: stack }: LiveStack, names: readonly string[]): NfvError {
    return new NfvError({
        code: "STACK_FAILED",
        cause: `the stack "${stack}" has ${names.join(", ")} otherwise than Pulumi's state, and this change would give a node another machine, disk or address; nothing was changed`,
        hint: `The state or the program is older than the stack. Restore the newest: ${howToRestoreState}.`,
    });
}

function loss({ name: stack }: LiveStack, names: readonly string[]): NfvError {
    return new NfvError({
        code: "STACK_FAILED",
        cause: `the stack "${stack}" has what neither the state nor the program knows (${names.join(", ")}), and Heat would delete it; nothing was changed`,
        hint:
            `Is the state an old one, restore the newest: ${howToRestoreState}. Or raise the counts of the program to what the stack has, ` +
            "run pulumi up --refresh, then lower them.",
    });
}

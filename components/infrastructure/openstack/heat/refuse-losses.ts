import { NfvError } from "../../../../provider/errors";
import type { StackResource } from "../../../../provider/openstack/heat";
import type { LiveStack } from "../../../../provider/openstack/stack";
import {
    forecastUpdate,
    namesInTemplate,
    type StackForecast,
    type WantedStack,
} from "../../../../provider/openstack/stack-forecast";
import { howToRestoreState } from "../../../../provider/resources/restore-state";
import type { SeenStack } from "../../../../provider/resources/stack-servers";
import type { Context } from "../../../../provider/resources/types";
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
    /** Server → Nova id of those whose nodes have left the cluster. */
    takenOut: Readonly<Record<string, string>>;
    /** Resources that the state or the program has. A state that was restored may be older than the stack. */
    known: ReadonlySet<string>;
}

/** What of the forecast needs a reason: it exists, and would be lost. Pure. */
export function atStake({ replaced, deleted }: StackForecast, resources: readonly StackResource[]): StackForecast {
    const made = new Map(resources.map(each => [each.resource_name, each]));
    const there = (names: readonly string[]) =>
        names.filter(name => made.has(name) && made.get(name)!.physical_resource_id !== "").sort();
    return {
        replaced: there(replaced).filter(name => !harmless.has(made.get(name)!.resource_type)),
        deleted: there(deleted),
    };
}

/**
 * Asks Heat right before it changes the stack what it will do, whatever the reason: an old state, an image that moved, a mark, an
 * error. Only Heat can tell.
 * @throws STACK_FAILED
 */
export async function refuseLosses(
    live: SeenStack,
    wanted: WantedStack,
    { takenOut, known, ...reasons }: Allowed,
    context: Context,
): Promise<void> {
    const { cloud, stack, resources } = live;
    const { replaced, deleted } = atStake(await forecastUpdate(cloud, stack, resources, wanted), resources);
    const free = replaced.length === 0 ? [] : await replaceable(live, { replaced, ...reasons }, context);
    const wrong = replaced.filter(name => !new Set(free).has(name));
    if (wrong.length > 0) throw replacement(stack, wrong);
    const ids = new Map(resources.map(each => [each.resource_name, each.physical_resource_id]));
    const unknown = deleted.filter(name => !known.has(name) && takenOut[name] !== ids.get(name));
    if (unknown.length === 0) return;
    // What Heat's own template no longer has was to be deleted before, by a change that did not end.
    const kept = await namesInTemplate(cloud, stack);
    const lost = unknown.filter(name => kept.has(name));
    if (lost.length > 0) throw loss(stack, lost);
}

function replacement({ name: stack }: LiveStack, names: readonly string[]): NfvError {
    return new NfvError({
        code: "STACK_FAILED",
        cause: `with this change Heat would replace ${names.join(", ")} of the stack "${stack}", which exist; nothing was changed`,
        hint:
            "Run pulumi up --refresh: it takes from the cloud what the servers were made of, and which are lost. " +
            `Is the state an old one, restore the newest: ${howToRestoreState}. ` +
            "Should a node's server be made again, drain the node, delete the server (openstack server delete), run pulumi up --refresh. " +
            "What is no node's is made again under another name in the template.",
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

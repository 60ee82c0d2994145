import { NfvError } from "../../../../provider/errors";
import { getVolume } from "../../../../provider/openstack/cinder";
import type { CloudClient } from "../../../../provider/openstack/client";
import type { StackResource } from "../../../../provider/openstack/heat";
import type { LiveStack } from "../../../../provider/openstack/stack";
import { forecastUpdate, type StackForecast, type WantedStack } from "../../../../provider/openstack/stack-forecast";
import { howToRestoreState } from "../../../../provider/resources/restore-state";
import type { Marked } from "../../../../provider/resources/stack-marks";
import type { SeenStack } from "../../../../provider/resources/stack-servers";

/** Types whose replacement is refused: a node would lose its machine, its data or its connection. */
const neverReplaced = new Set([
    "OS::Nova::Server",
    "OS::Nova::ServerGroup",
    "OS::Cinder::Volume",
    "OS::Cinder::VolumeAttachment",
    "OS::Manila::Share",
    "OS::Neutron::Port",
    "OS::Neutron::Net",
    "OS::Neutron::Subnet",
    "OS::Neutron::Router",
    "OS::Neutron::RouterInterface",
    "OS::Neutron::FloatingIP",
]);

/** Types whose deletion is refused if neither the state nor the program has the resource. */
const keptIfUnknown = new Set(["OS::Nova::Server", "OS::Cinder::Volume", "OS::Manila::Share"]);

/** What may go although it exists. */
export interface Allowed {
    /** Resource → id of what OperationStart has marked as lost. */
    marked: Marked;
    /** Server → Nova id of those whose nodes have left the cluster. */
    takenOut: Readonly<Record<string, string>>;
    /** Resource of the jump server: it has no data. */
    jump?: string;
    /** Resources that the state or the program has. A state that was restored may be older than the stack. */
    known: ReadonlySet<string>;
    /** At preview, the marks of what lives have not been removed yet. */
    isPreview?: boolean;
}

/** The changes of the forecast that are refused. Pure. */
export function refusedChanges(
    { replaced, deleted }: StackForecast,
    resources: readonly StackResource[],
    { marked, takenOut, jump, known, isPreview = false }: Allowed,
): StackForecast {
    const made = new Map(resources.map(each => [each.resource_name, each]));
    const among = (names: readonly string[], types: ReadonlySet<string>, may: (each: StackResource) => boolean) =>
        names
            .filter(name => {
                const there = made.get(name);
                return there && there.physical_resource_id !== "" && types.has(there.resource_type) && !may(there);
            })
            .sort();
    return {
        replaced: among(
            replaced,
            neverReplaced,
            // Nothing ever ran on what was never complete.
            ({ resource_name: name, resource_status, physical_resource_id }) =>
                name === jump ||
                marked[name] === physical_resource_id ||
                resource_status === "CREATE_FAILED" ||
                (isPreview && resource_status === "CHECK_FAILED"),
        ),
        deleted: among(
            deleted,
            keptIfUnknown,
            ({ resource_name: name, physical_resource_id: id }) => known.has(name) || takenOut[name] === id,
        ),
    };
}

/**
 * Asks Heat right before it changes the stack what it will do, whatever the reason: an old state, an image that moved, a mark, an
 * error. Only Heat can tell.
 * @throws STACK_FAILED
 */
export async function refuseLosses(
    { cloud, stack, resources }: SeenStack,
    wanted: WantedStack,
    allowed: Allowed,
): Promise<void> {
    const forecast = await forecastUpdate(cloud, stack, resources, wanted);
    const { replaced, deleted } = refusedChanges(forecast, resources, allowed);
    const free = await freeVolumes(cloud, resources, deleted, Object.values(allowed.takenOut));
    const lost = deleted.filter(name => !free.has(name));
    if (replaced.length > 0) throw replacement(stack, replaced);
    if (lost.length > 0) throw loss(stack, lost);
}

/** Volumes that no server uses but those that leave: a change that failed has left them in the stack. */
async function freeVolumes(
    cloud: CloudClient,
    resources: readonly StackResource[],
    names: readonly string[],
    leaving: readonly string[],
): Promise<Set<string>> {
    const volumes = resources.filter(
        each => each.resource_type === "OS::Cinder::Volume" && names.includes(each.resource_name),
    );
    const free = await Promise.all(
        volumes.map(async ({ physical_resource_id: id }) => {
            const { attachments = [] } = (await getVolume(cloud, id)) ?? {};
            return attachments.every(({ server_id }) => leaving.includes(server_id));
        }),
    );
    return new Set(volumes.filter((_, i) => free[i]).map(each => each.resource_name));
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

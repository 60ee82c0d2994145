import { type Examined, lostOf } from "../../../../provider/cloud/heat/lost-servers";
import { requireMajority } from "../../../../provider/cloud/heat/mark-lost";
import type { Marked } from "../../../../provider/cloud/heat/stack-marks";
import { healedOf, isServer, nodesById, type SeenStack } from "../../../../provider/cloud/heat/stack-servers";
import { type ServersOwner, wasLaunched, wordOfAll } from "../../../../provider/cloud/orphans/orphan-servers";
import type { StackMachines } from "../../../../provider/cloud/remove-nodes";
import type { Context } from "../../../../provider/contract/types";
import { getVolume } from "../../../../provider/openstack/cinder";
import type { StackResource } from "../../../../provider/openstack/heat";
import { getServer } from "../../../../provider/openstack/nova";

export interface Machines extends StackMachines {
    owner: ServersOwner;
    /** What a look at the servers has found. */
    examined: () => Promise<Examined>;
}

/** What Heat would replace, and why that may be in order. */
export interface Replacements {
    /** Names of resources that exist. */
    replaced: readonly string[];
    /** What OperationStart has marked as lost, perhaps in an earlier run. */
    marked: Marked;
    /** Resource of the jump server: it has no data. */
    jump?: string;
    /** Undefined at preview, while it is not known how machines are reached. */
    machines: Machines | undefined;
    /** Marks of what lives go only before the change, and a server that fails may still boot: a preview does not wait for it. */
    isPreview: boolean;
}

/** Those that hold nothing: the jump server, what is lost, and what never came up. Looks at them now: a mark may be old. */
export async function replaceable(
    live: SeenStack,
    { replaced, marked, jump = "", machines, isPreview }: Replacements,
    context: Context,
): Promise<Set<string>> {
    const there = live.resources.filter(each => replaced.includes(each.resource_name));
    const withMark = there.filter(each => marked[each.resource_name] === each.physical_resource_id);
    const failed = there.filter(each => each.resource_status === "CREATE_FAILED");
    const lost = withMark.length + failed.length === 0 ? new Set<string>() : await lostNow(live, machines, context);
    const gone = withMark.map(each => each.resource_name).filter(name => lost?.has(name) ?? isPreview);
    if (isPreview) {
        const checked = there.filter(each => each.resource_status === "CHECK_FAILED");
        return new Set([jump, ...gone, ...[...failed, ...checked].map(each => each.resource_name)]);
    }
    const empty = await worthless(live, failed, lost ?? new Set(), machines, context);
    return new Set([jump, ...gone, ...empty]);
}

/**
 * Resources that go with a server that is lost now. Undefined if the machines cannot be asked.
 * @throws QUORUM_AT_RISK if more masters are lost than when they were marked
 */
async function lostNow(
    { stack }: SeenStack,
    machines: Machines | undefined,
    context: Context,
): Promise<Set<string> | undefined> {
    if (machines === undefined) return undefined;
    const names = Object.keys(lostOf(await machines.examined()));
    await requireMajority(machines, names, stack, context);
    const healed = healedOf(machines.spec);
    return new Set(names.flatMap(name => healed.get(name)!));
}

/** Of what failed when it was created: Nova may have finished a server later, and a node may have joined on it. */
async function worthless(
    { cloud, resources }: SeenStack,
    failed: readonly StackResource[],
    lost: ReadonlySet<string>,
    machines: Machines | undefined,
    context: Context,
): Promise<string[]> {
    const nodes = machines ? nodesById(resources, { nodes: machines.spec.nodes }) : new Map<string, string>();
    const ids = resources.filter(isServer).map(each => each.physical_resource_id);
    const servers = failed.filter(isServer);
    const isEmpty = async ({ resource_name: name, physical_resource_id: id }: StackResource) => {
        if (lost.has(name)) return true;
        const node = nodes.get(id);
        if (machines !== undefined && node !== undefined) {
            const others = ids.filter(each => each !== "" && !nodes.has(each));
            return (await wordOfAll([id, ...others], new Map([[id, node]]), machines.owner, context)) === "blank";
        }
        const server = await getServer(cloud, id);
        return server === undefined || !wasLaunched(server);
    };
    const answers = await Promise.all(servers.map(isEmpty));
    const empty = servers.filter((_, i) => answers[i]);
    const going = new Set(empty.map(each => each.physical_resource_id));
    const volumes = failed.filter(each => each.resource_type === "OS::Cinder::Volume");
    const inUse = await Promise.all(
        volumes.map(async ({ physical_resource_id: id }) =>
            ((await getVolume(cloud, id))?.attachments ?? []).some(({ server_id }) => !going.has(server_id)),
        ),
    );
    const others = failed.filter(each => !servers.includes(each) && !volumes.includes(each));
    return [...empty, ...volumes.filter((_, i) => !inUse[i]), ...others].map(each => each.resource_name);
}

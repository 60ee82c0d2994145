import { NfvError } from "../../common/errors";
import type { Context, InSession } from "../../contract/types";
import { hurried, type Peer } from "../../machine/machine";
import { type PeerStatus, statusOfPeers } from "../../machine/machine-statuses";
import { cloudClient } from "../../machine/server";
import { type CloudClient, getServer, type LiveStack, markUnhealthy } from "../../openstack";
import { volumeExists } from "../../openstack/cinder";
import { deleteServer, isDeleted } from "../../openstack/nova";
import type { CloudStartInputs, CloudStartState } from "../cloud-start-inputs";
import { type StackMachines, whyHidden } from "../remove-nodes";
import { examination, lostOf, peersOf } from "./lost-servers";
import { type Marked, settleMarks } from "./stack-marks";
import { healedOf, serversThere, stackOf, topResources } from "./stack-servers";

/** Whether etcd keeps its quorum when this many of its members are lost. */
export function keepsQuorum(masters: number, lost: number): boolean {
    return lost === 0 || masters - lost > Math.floor(masters / 2);
}

/**
 * Tells Heat which servers are lost. They are examined again first, because the refresh that found them lost may be
 * days old. The raised generation makes Heat examine them, too.
 * @returns what was marked
 * @throws QUORUM_AT_RISK, SERVER_FAILED before any change
 */
export async function markLost(olds: CloudStartState, news: CloudStartInputs, context: Context): Promise<Marked> {
    const healed = healedOf(news.spec);
    const names = Object.keys(olds.missing ?? {}).filter(name => healed.has(name));
    const earlier = olds.marked ?? {};
    // Only parameters of the stack can change now, and the stack's own hook looks.
    if (names.length === 0 && olds.stackHash !== undefined && olds.stackHash === news.stackHash) return earlier;
    const stack = await stackOf(news.spec, context);
    if (stack === undefined) return {};
    const cloud = cloudClient(context, news.spec.cloud);
    const resources = await topResources(cloud, stack);
    const leaving = new Set([...healedOf(olds.spec)].flatMap(([name, all]) => (healed.has(name) ? [] : all)));
    const machines = { ...news, spec: { ...news.spec, clusterId: olds.spec.clusterId } };
    const seen = { cloud, stack, resources };
    const examined = examination(machines, stack, context);
    if (names.length === 0) {
        await settleMarks(seen, machines, { marked: earlier, leaving, examined }, context);
        return earlier;
    }
    const now = lostOf(await examined());
    const lost = names.filter(name => now[name] !== undefined && now[name] === olds.missing![name]);
    const back = names.filter(each => !lost.includes(each));
    if (back.length > 0) throw notLost(back);
    refuseHealWhileLeaving(olds, news, lost);
    await requireMajority(olds, Object.keys(now), stack, context);
    const made = new Map(resources.map(each => [each.resource_name, each.physical_resource_id]));
    const unhealthy = lost.flatMap(name => healed.get(name)!.filter(each => made.has(each)));
    const marked: Marked = Object.fromEntries(unhealthy.map(each => [each, made.get(each)!]));
    await settleMarks(seen, machines, { marked: { ...earlier, ...marked }, leaving, examined }, context);
    context.report(`the servers of ${lost.join(", ")} are to be replaced`);
    for (const name of lost) await removeDead(cloud, name, now[name]!, context);
    for (const resource of unhealthy) await markUnhealthy(cloud, stack, resource, "pulumi-nfv: the server is lost");
    return marked;
}

/**
 * A server in ERROR keeps its ports, so Nova would give them to no other one; and hidden behind a replacement that failed, it could come
 * back. Heat deletes a server only after it has made the other.
 */
async function removeDead(cloud: CloudClient, name: string, id: string, { report, signal }: Context): Promise<void> {
    const server = await getServer(cloud, id);
    if (isDeleted(server)) return;
    if (server?.status !== "ERROR") throw notLost([name]);
    report(`delete the dead server of ${name} (${id})`);
    if (!(await deleteServer(cloud, id, signal))) throw notDeleted(name, id);
}

function notDeleted(name: string, id: string): NfvError {
    return new NfvError({
        code: "SERVER_FAILED",
        node: name,
        step: "replace lost servers",
        cause: `its dead server (${id}) is still there five minutes after its deletion was asked for`,
        hint: `openstack server show ${id}. Delete it (openstack server delete --wait ${id}), then run pulumi up --refresh.`,
    });
}

/** A lost master joins again through the others, so these must not leave in the same run. */
export function refuseHealWhileLeaving(olds: CloudStartState, news: CloudStartInputs, lost: readonly string[]): void {
    const masters = Object.entries(olds.spec.nodes).filter(([, { role }]) => role === "controlPlane");
    const leaving = masters.map(([name]) => name).filter(name => !Object.hasOwn(news.spec.nodes, name));
    const healed = masters.map(([name]) => name).filter(name => lost.includes(name));
    if (leaving.length === 0 || healed.length === 0) return;
    throw new NfvError({
        code: "QUORUM_AT_RISK",
        step: "replace lost servers",
        cause: `the servers of ${healed.join(", ")} are lost, and the program takes ${leaving.join(", ")} out in the same run; nothing was changed`,
        hint: `Put ${leaving.join(", ")} back into the program and run pulumi up --refresh. Take them out after that.`,
    });
}

/** The checks have let a lost server have another image, flavor or template. Given to a living one, Heat would replace it. */
function notLost(names: readonly string[]): NfvError {
    return new NfvError({
        code: "SERVER_FAILED",
        node: names[0]!,
        step: "replace lost servers",
        cause: `the last refresh found the servers of ${names.join(", ")} lost, and now they are not: they live, or were replaced; nothing was changed`,
        hint: "Run pulumi up --refresh: it looks at the servers again.",
    });
}

/**
 * New control-plane nodes join through etcd's quorum. Without it they would be created in vain, and data that could be
 * saved put at risk.
 */
export async function requireMajority(
    olds: StackMachines,
    lost: readonly string[],
    stack: LiveStack,
    context: InSession,
): Promise<void> {
    const { nodes, clusterId } = olds.spec;
    const masters = Object.keys(nodes).filter(name => nodes[name]!.role === "controlPlane");
    const lostMasters = masters.filter(name => lost.includes(name));
    if (keepsQuorum(masters.length, lostMasters.length)) return;
    const others = await statusOfPeers(
        context,
        peersOf(olds, stack, name => !lost.includes(name)),
    );
    // If one of them answers now, it is alive, whatever was found before.
    const last = await statusOfPeers(context, peersOf(olds, stack, name => lostMasters.includes(name)).map(inHurry));
    const disks = await bootVolumes(olds, lostMasters, stack, context);
    // If no machine ever was a member (the first `up` failed), nothing is at risk. If no machine is left to ask, that
    // is unknown; but without boot volumes, the data is gone with the servers.
    const isNone = ({ facts }: PeerStatus) => facts !== undefined && facts.memberOf !== clusterId;
    const there = await serversThere(olds.spec, stack, context);
    const hidden = masters.some(name => !lost.includes(name) && whyHidden(name, olds, stack, there) !== undefined);
    const none = !hidden && others.every(isNone) && last.every(peer => peer.facts === undefined || isNone(peer));
    if (none && (others.length > 0 || disks.length === 0)) return;
    throw new NfvError({
        code: "QUORUM_AT_RISK",
        step: "replace lost servers",
        cause: `the servers of ${lostMasters.join(", ")} are lost, of ${masters.length} masters: etcd has no majority, so new ones could not join`,
        hint:
            (disks.length === 0
                ? ""
                : `etcd's data may be on ${disks.join(", ")}: a new server would begin with an empty disk. Make a snapshot first. `) +
            "Bring back enough of these servers in the cloud (openstack server show says why they are lost), then run pulumi up --refresh. " +
            "Is their data lost for good: pulumi destroy, build the cluster again, and restore a backup.",
    });
}

const inHurry = (peer: Peer): Peer => ({ ...peer, connection: hurried(peer.connection) });

/** Boot volumes of these nodes that still exist: deleting a server keeps them. "the boot volume of NODE (id)". */
async function bootVolumes(
    olds: StackMachines,
    names: readonly string[],
    stack: LiveStack,
    context: InSession,
): Promise<string[]> {
    const cloud = cloudClient(context, olds.spec.cloud);
    const made = (await topResources(cloud, stack)).filter(each => each.resource_type === "OS::Cinder::Volume");
    const found = names.flatMap(name => {
        const healed = olds.spec.nodes[name]!.stack?.healed ?? [];
        return made
            .filter(({ resource_name }) => healed.includes(resource_name))
            .map(({ physical_resource_id: id }) => ({ name, id }));
    });
    const there = await Promise.all(found.map(({ id }) => volumeExists(cloud, id)));
    return found.filter((_, i) => there[i]).map(({ name, id }) => `the boot volume of ${name} (${id})`);
}

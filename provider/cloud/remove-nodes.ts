import { NfvError } from "../common/errors";
import { isGivenUp } from "../contract/give-up";
import type { Context } from "../contract/types";
import { type EtcdMember, mayLeave, membersWithout } from "../kubeadm/etcd-members";
import { lookAtMembers } from "../kubeadm/look";
import { mayHoldEtcd } from "../kubeadm/membership";
import { retryUntilControlPlaneReady } from "../machine/control-plane-ready";
import { away, connectTo, hurried, type Peer } from "../machine/machine";
import { mastersToLeaveBy, type PeerStatus, statusOfPeers, whatTheySaid } from "../machine/machine-statuses";
import { awayOrClosed, bearIfGivenUp, machineToUndo } from "../machine/undo";
import { joinStep } from "../member/join/join-cluster";
import { leaveCluster } from "../member/leave/leave";
import type { LiveStack } from "../openstack";
import { hostKeyOf } from "../openstack/host-key";
import type { SshTarget } from "../ssh";
import { forgetStep, type NodeConnection } from "../steps";
import type { CloudStartInputs, CloudStartSpec, CloudStartState } from "./cloud-start-inputs";
import { serversThere, stackOf } from "./heat/stack-servers";

interface Leaver {
    name: string;
    role: "controlPlane" | "worker";
    /** "" if Heat has none. */
    address: string;
    /** Undefined if it never had a server, or Heat does not say its address. */
    machine?: SshTarget;
    /** Nova has its server, and Heat does not say its address: it may be a member. */
    hidden?: string;
    /**
     * Nova has no such server. Its machine is asked all the same: Nova's database may have been restored from an older
     * backup.
     */
    gone: boolean;
}

/**
 * Removes nodes that are no longer wanted from the cluster. The deletion of their Node resources would come too late:
 * Heat has deleted the servers by then. May have been done in part before.
 * @throws QUORUM_AT_RISK before any change, DRAIN_FAILED, NO_CONTROL_PLANE
 */
export async function removeNodes(olds: CloudStartState, news: CloudStartInputs, context: Context): Promise<void> {
    const names = Object.keys(olds.spec.nodes).filter(name => !Object.hasOwn(news.spec.nodes, name));
    if (names.length === 0) return;
    context.report(`${names.join(", ")} leave: look at the stack`);
    const stack = await stackOf(olds.spec, context);
    if (stack === undefined) return;
    const { clusterId, nodes } = olds.spec;
    const there = await serversThere(olds.spec, stack, context);
    const leavers = names.map((name): Leaver => {
        const machine = machineOf(name, olds, stack, there);
        const gone = there.get(name) === false;
        const address = outputOf(stack, nodes[name]!.stack?.address);
        return { name, role: nodes[name]!.role, address, machine, hidden: whyHidden(name, olds, stack, there), gone };
    });
    const master = await retryUntilControlPlaneReady(context, clusterId, () =>
        masterThatStays(olds, news, stack, there, context),
    );
    const masters = leavers.filter(({ role }) => role === "controlPlane");
    if (master === undefined) {
        await refuseLivingMasters(clusterId, masters, context);
        context.warn(`${names.join(", ")}: no master of ${clusterId} was ever there, so no cluster has to let them go`);
        return;
    }
    await requireQuorum(master, masters, context);
    const go = (leaver: Leaver) => leave(leaver, master, olds, news, context);
    // Each has its own deadline; one that fails does not stop the others.
    const ends = await Promise.allSettled(leavers.filter(({ role }) => role === "worker").map(go));
    const failed = ends.find(end => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    for (const leaver of masters) await go(leaver);
}

export function outputOf(stack: LiveStack, name: string | undefined): string {
    const value = name === undefined ? undefined : stack.outputs[name];
    return typeof value === "string" ? value : "";
}

/** What finds and reaches the machines of a stack. */
export type StackMachines = Pick<CloudStartInputs, "ssh" | "seed"> & {
    spec: Pick<CloudStartSpec, "clusterId" | "cloud" | "nodes" | "jump">;
};

/** How to reach a machine of the stack, or the jump server; undefined if it has no address. */
export function targetOf({ spec, ssh, seed }: StackMachines, stack: LiveStack, name: string): SshTarget | undefined {
    const held = (server: string) => (seed === undefined ? {} : { hostKey: hostKeyOf(seed, server).publicKey });
    const { jump: given, ...login } = ssh;
    const ours = spec.jump && { ...login, host: outputOf(stack, spec.jump.output), ...held(spec.jump.name) };
    if (ours !== undefined && name === spec.jump?.name) return ours.host === "" ? undefined : ours;
    const place = spec.nodes[name]?.stack;
    // Without its floating IP the other address may be a machine of somebody else near the operator.
    const host = outputOf(stack, place?.sshAddress ?? place?.address);
    if (host === "" || ours?.host === "") return undefined;
    return { ...login, host, ...held(name), jump: ours ?? given };
}

/** Undefined if it was never created, or has no address. */
function machineOf(
    name: string,
    olds: CloudStartState,
    stack: LiveStack,
    there: ReadonlyMap<string, boolean>,
): SshTarget | undefined {
    const target = there.has(name) ? targetOf(olds, stack, name) : undefined;
    return target === undefined || there.get(name) ? target : hurried(target);
}

/** Why a server that Nova has cannot be asked: Heat reads addresses from Neutron or Nova at each question, and that may fail. */
export function whyHidden(
    name: string,
    olds: StackMachines,
    stack: LiveStack,
    there: ReadonlyMap<string, boolean>,
): string | undefined {
    if (there.get(name) !== true || targetOf(olds, stack, name) !== undefined) return undefined;
    const { address, sshAddress } = olds.spec.nodes[name]?.stack ?? {};
    const why = [sshAddress, address].flatMap(output => stack.outputErrors?.[output ?? ""] ?? []);
    return `Nova has its server, and Heat does not say its address${why.length === 0 ? "" : `: ${why[0]}`}`;
}

/**
 * A ready control-plane node that stays; undefined if the cluster never existed. @throws NO_CONTROL_PLANE if that is
 * uncertain
 */
async function masterThatStays(
    olds: CloudStartState,
    news: CloudStartInputs,
    stack: LiveStack,
    there: ReadonlyMap<string, boolean>,
    context: Context,
): Promise<NodeConnection | undefined> {
    const peers = Object.entries(olds.spec.nodes).flatMap(([name, { role, stack: place }]): Peer[] => {
        const stays = role === "controlPlane" && Object.hasOwn(news.spec.nodes, name);
        const connection = stays ? machineOf(name, olds, stack, there) : undefined;
        return connection === undefined ? [] : [{ name, connection, address: outputOf(stack, place?.address) }];
    });
    const { living, silent, unreachable } = await mastersToLeaveBy(context, olds.spec.clusterId, peers);
    if (living !== undefined) return living;
    const isLost = ({ name, code }: PeerStatus) => there.get(name) === false && code !== undefined && away.has(code);
    const hidden = Object.entries(olds.spec.nodes).flatMap(([name, { role }]) => {
        if (role !== "controlPlane" || !Object.hasOwn(news.spec.nodes, name)) return [];
        const why = whyHidden(name, olds, stack, there);
        return why === undefined || isGivenUp(olds.spec.clusterId, name) ? [] : [`${name}: ${why}`];
    });
    const said = [...whatTheySaid({ silent, unreachable: unreachable.filter(peer => !isLost(peer)) }), ...hidden];
    if (said.length === 0) return undefined;
    throw new NfvError({
        code: "NO_CONTROL_PLANE",
        step: "leave",
        cause: `no control-plane node answers that could let the nodes go\n${said.join("\n")}`,
        hint: "Start one of the masters, then run pulumi up again. If the cluster never came up: pulumi destroy, then pulumi up.",
    });
}

/**
 * No master that stays was ever there, or all are lost: then the cluster may be on those that leave, and nowhere else.
 * @throws QUORUM_AT_RISK
 */
async function refuseLivingMasters(clusterId: string, leavers: readonly Leaver[], context: Context): Promise<void> {
    const peers = leavers.flatMap(({ name, address, machine, gone }): (Peer & { gone: boolean })[] =>
        machine === undefined || isGivenUp(clusterId, name) ? [] : [{ name, connection: machine, address, gone }],
    );
    const seen = await statusOfPeers(context, peers);
    const known = seen.filter(({ name, facts, code }, i) =>
        facts === undefined
            ? !(peers[i]!.gone && code !== undefined && away.has(code))
            : mayHoldEtcd({ clusterId, name, facts }),
    );
    const hidden = leavers.flatMap(({ name, hidden: reason }) =>
        reason === undefined || isGivenUp(clusterId, name) ? [] : [{ name, reason }],
    );
    const holds = [...known, ...hidden];
    if (holds.length === 0) return;
    const names = holds.map(({ name, reason }) => (reason === undefined ? name : `${name} (${reason})`)).join(", ");
    throw new NfvError({
        code: "QUORUM_AT_RISK",
        step: "leave",
        cause: `no master that stays is there, and the cluster may be on those that leave: ${names}; nothing was changed`,
        hint:
            "Put them back into the program and run pulumi up --refresh, so that lost masters are made again. Take them out after that. " +
            "If the cluster may be lost: pulumi destroy.",
    });
}

/** Checks the removal of all leaving control-plane nodes, one after another, before any of them leaves. */
async function requireQuorum(
    { connection }: NodeConnection,
    leavers: readonly Leaver[],
    { report, signal }: Context,
): Promise<void> {
    if (leavers.length === 0) return;
    const enough = (members: readonly EtcdMember[]) => mayLeave(members, leavers);
    membersWithout(await lookAtMembers(connection, undefined, { report, signal, enough }), leavers);
}

/** A pool that the program does not have any more keeps the drain that it had. */
function drainOf(pool: string | undefined, olds: CloudStartSpec, news: CloudStartSpec): CloudStartSpec["drain"] {
    const own = pool === undefined ? undefined : (news.poolDrains?.[pool] ?? olds.poolDrains?.[pool]);
    return own ?? news.drain;
}

async function leave(
    { name, role, address, machine, hidden, gone: serverGone }: Leaver,
    master: NodeConnection,
    olds: CloudStartState,
    news: CloudStartInputs,
    context: Context,
): Promise<void> {
    const { clusterId } = olds.spec;
    const own = machine && connectTo(context, machine);
    const asked = { clusterId, name, address, bears: awayOrClosed, gone: serverGone };
    const unasked = hidden === undefined ? "nothing" : "unasked";
    const { found } =
        own === undefined ? { found: unasked } : await machineToUndo({ ...asked, connection: own }, context);
    const ours = own !== undefined && found === "ours";
    const spec = { clusterId, name, role, address, drain: drainOf(olds.spec.nodes[name]!.pool, olds.spec, news.spec) };
    const { report, signal } = context;
    // If the stack does not shrink after all, a refresh then finds that this machine is no longer a member.
    const forgetJoin = ours ? () => forgetStep(own, joinStep.id) : undefined;
    const onMachineError = own && bearIfGivenUp({ clusterId, name, connection: own }, context);
    const givenUp = isGivenUp(clusterId, name);
    const node = ours ? own : undefined;
    // If it does not answer, its stack deletes it right after this.
    const gone = givenUp || !ours;
    const mayLive = found === "unasked" && !serverGone && !givenUp;
    const how = { forgetJoin, onMachineError, givenUp, gone, mayLive };
    await leaveCluster({ spec, node, controlPlane: master, ...how, report, signal });
}

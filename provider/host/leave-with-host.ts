import { NfvError } from "../common/errors";
import type { MasterAddress } from "../common/model";
import { atMost } from "../contract/at-most";
import { howToGiveUp, isGivenUp } from "../contract/give-up";
import { nodeKey, runFacts } from "../contract/run-facts";
import type { Context } from "../contract/types";
import { type EtcdMember, hasMember } from "../kubeadm/etcd-members";
import { lookAtMembers } from "../kubeadm/look";
import { mayHoldEtcd } from "../kubeadm/membership";
import { retryUntilControlPlaneReady } from "../machine/control-plane-ready";
import { type MachineState, named, type Peer, type ServerInputs } from "../machine/machine";
import { machineStatusOf } from "../machine/machine-statuses";
import { programMasters } from "../machine/program-masters";
import { machineInProgram } from "../machine/stored-machine";
import { bearIfGivenUp } from "../machine/undo";
import { type FoundMachine, leaveBy, masterToLeaveBy } from "../member/leave/leave-node";
import { afterAnotherLeaves } from "../member/rolling";
import type { Connection, SshTarget } from "../ssh";
import type { NodeConnection } from "../steps";
import type { KeptSpec } from "./host-state";
import { type KeptLogin, loginLike } from "./kept-logins";

/*
 * A Node leaves the cluster before its Host is deleted. But a run that was killed while the machine joined has left no Node in
 * the state, and then resetting the machine would destroy a member of etcd.
 */

interface Deleted extends Pick<ServerInputs, "server">, Pick<MachineState, "done"> {
    spec: KeptSpec;
    connection: SshTarget;
    controlPlane?: readonly KeptLogin[];
}

interface Found {
    found: FoundMachine;
    own: Connection;
    /** The cloud no longer has its server. If the machine does not answer either, it runs no etcd. */
    gone: boolean;
}

/** Longer than most pods need. If it is not enough, the run stops, and the machine stays a member. */
const drain = { timeoutSeconds: 300, policy: "fail" };

/** Where most likely the whole cluster goes, pods that cannot be evicted must not stop it. */
const shortDrain = { timeoutSeconds: 60, policy: "delete" };

/**
 * Whether a node need not leave, because its whole cluster goes. A destroy begins with the deletion of OperationEnd. If this run has not
 * deleted it, --target may have left the program's masters out; then a control-plane node looks for the others itself.
 */
export function wholeClusterGoes({ clusterId, role }: Pick<KeptSpec, "clusterId" | "role">, context: Context): boolean {
    return (
        programMasters(context, clusterId) === undefined && (runFacts(context).isEnding(clusterId) || role === "worker")
    );
}

/** Noted before anything is undone: a Host that is made again says that its cluster stays. */
export function noteHostDeletion(spec: Pick<KeptSpec, "clusterId" | "name">, context: Context): void {
    const { did } = runFacts(context);
    if (machineInProgram(context, "Host", { spec }) !== undefined) did.keeps.add(spec.clusterId);
    else did.deletedHosts.add(nodeKey(spec.clusterId, spec.name));
}

/**
 * Whether the machine is no member any more: if it is one at the moment of its reset, another run has joined it.
 * @throws QUORUM_AT_RISK, NO_CONTROL_PLANE, DRAIN_FAILED, NODE_BUSY: nothing was changed, or the machine is a member still
 */
export async function leaveWithHost(host: Deleted, { found, own, gone }: Found, context: Context): Promise<boolean> {
    const { clusterId, name, role } = host.spec;
    const isAway = gone && found !== "ours";
    if (isAway) return false;
    const { did } = runFacts(context);
    if (did.left.has(nodeKey(clusterId, name))) {
        // A broken machine that was given up may be unable to note that it has left.
        if (isGivenUp(clusterId, name)) return false;
        await refuseJoinedAgain(host, found, own);
        return true;
    }
    if (wholeClusterGoes(host.spec, context)) return false;
    if (!(await mayBeMember(host, found, own))) return true;
    const leave = () => leaveNow(host, { found, own }, context);
    if (role !== "controlPlane") return leave();
    // Each must see etcd without the one before.
    return atMost(1, context, `masters of ${clusterId}`, leave, {
        afterFailure: afterAnotherLeaves(name),
        signal: context.signal,
    });
}

/** A run that was asleep between both deletions, as on a closed laptop, may find that another one has joined the node again. */
async function refuseJoinedAgain({ spec }: Deleted, found: FoundMachine, own: Connection): Promise<void> {
    const { clusterId, name: node, address } = spec;
    if (found !== "ours") return;
    const { memberOf } = await named(node, () => machineStatusOf(own, address));
    if (memberOf !== clusterId) return;
    throw new NfvError({
        code: "NODE_BUSY",
        node,
        cause: "this run took it out of the cluster, and meanwhile it has joined again: another run has made it a node. It was left as it is",
        hint: "Let the other run end. Then run pulumi up --refresh: it compares the nodes with the program.",
    });
}

async function mayBeMember({ spec, done }: Deleted, found: FoundMachine, own: Connection): Promise<boolean> {
    const { clusterId, name, address, caCertHash } = spec;
    // Its member of etcd may still be there.
    if (found === "nothing") return isGivenUp(clusterId, name);
    // A Node begins after its Host.
    if (found === "unasked") return Object.keys(done).length > 0;
    const facts = await named(name, () => machineStatusOf(own, address));
    return facts.memberOf === clusterId || mayHoldEtcd({ clusterId, caCertHash, name, facts });
}

/** Whether it has left: the last one of a cluster that goes does not. */
async function leaveNow(host: Deleted, { found, own }: Omit<Found, "gone">, context: Context): Promise<boolean> {
    const { caCertHash, clusterId, name, address, role } = host.spec;
    const spec = { clusterId, name, address, role };
    const leaveThrough = (master: NodeConnection | undefined, how: typeof drain) =>
        leaveBy({ spec: { ...spec, drain: how }, caCertHash, server: host.server, found, own, master }, context);
    const program = programMasters(context, clusterId);
    const stays = () => runFacts(context).did.keeps.has(clusterId);
    // Asked again at each attempt: meanwhile others go, too.
    const groups = () => (program === undefined ? [otherMasters(host, context)] : [program.wanted, program.former]);
    const options = {
        ...(found !== "ours" && { orElse: howToGiveUp(clusterId, name) }),
        ...(program === undefined && { mayBeMember: mayBeInEtcd(host, { found, own }, context) }),
    };
    try {
        const master = await retryUntilControlPlaneReady(context, clusterId, () =>
            masterToLeaveBy(spec, groups(), context, options),
        );
        // Without another master, the last one of a cluster that stays is refused.
        const goes = program === undefined && master === undefined && !stays();
        if (!goes) await leaveThrough(master, program === undefined ? shortDrain : drain);
        return !goes && !isGivenUp(clusterId, name);
    } catch (caught) {
        const error = program === undefined && !stays() ? orTogether(caught) : caught;
        // Giving up excuses silence only. One that answers is a member: etcd needs it, or its data may be on it.
        if (!isGivenUp(clusterId, name) || found === "ours") throw error;
        bearIfGivenUp({ clusterId, name, connection: own }, context)(error);
        return false;
    }
}

/** Without a program, masters that go one after another are refused by those that still stand. */
function orTogether(error: unknown): unknown {
    if (!(error instanceof NfvError) || error.code !== "QUORUM_AT_RISK") return error;
    const { code, node, step, reason: cause, output } = error;
    const hint = `${error.hint} To end the whole cluster after a destroy that stopped half way: pulumi destroy without --target and without --parallel 1, so that its masters go together.`;
    return new NfvError({ code, node, step, cause, output, hint });
}

/**
 * The other masters, as this run knows them without Masters. Those that go with this one do not count: a destroy of which OperationEnd is not
 * part (the first creation failed, or a destroy was stopped half way) deletes the Hosts of all masters that are left.
 */
function otherMasters({ spec, connection, controlPlane = [] }: Deleted, context: Context): Peer[] {
    const { clusterId, name, masters = [] } = spec;
    const { left, keeps, deletedHosts } = runFacts(context).did;
    const hasLeft = (each: string) => left.has(nodeKey(clusterId, each));
    const goes = (each: string) => !keeps.has(clusterId) && deletedHosts.has(nodeKey(clusterId, each));
    // A run that left out Masters (--target) did not learn their logins. Most clusters have one for all machines.
    const { hostKey: _, ...login } = connection;
    const loginOf = ({ name: one, address }: MasterAddress) => {
        const kept = controlPlane.find(each => each.name === one);
        return kept === undefined ? { ...login, host: address } : loginLike(connection, kept);
    };
    return masters
        .filter(each => each.name !== name && !hasLeft(each.name) && !goes(each.name))
        .map(each => ({ ...each, connection: loginOf(each) }));
}

function notKnown(error: unknown): undefined {
    if (!(error instanceof NfvError)) throw error;
}

/** Whether a master that does not answer is a member of this machine's etcd, as far as that says so. */
function mayBeInEtcd({ spec }: Deleted, { found, own }: Pick<Found, "found" | "own">, context: Context) {
    let asked: Promise<EtcdMember[] | undefined> | undefined;
    const { name, masters = [] } = spec;
    return async (silent: { name: string }): Promise<boolean> => {
        asked ??= found === "ours" ? lookAtMembers(own, name, context).catch(notKnown) : Promise.resolve(undefined);
        const members = await asked;
        const address = masters.find(each => each.name === silent.name)?.address;
        return members === undefined || address === undefined || hasMember(members, { name: silent.name, address });
    };
}

import { usualSpelling } from "../../common/cidr";
import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import { giveUpVariable, isGivenUp, notDrainedNotGivenUp } from "../../contract/give-up";
import { nodeKey, runFacts } from "../../contract/run-facts";
import type { Context } from "../../contract/types";
import { areElsewhere, memberElsewhere } from "../../kubeadm/etcd-members";
import { lookAtAddresses, lookAtMembers, lookAtOwnAddresses } from "../../kubeadm/look";
import { mayBeLastMember } from "../../kubeadm/membership";
import { memberFile } from "../../kubeadm/paths";
import { refuseIfItLives } from "../../machine/another-machine";
import {
    away,
    awayOrReplaced,
    connectTo,
    hurried,
    type MachineState,
    machineKey,
    named,
    type Peer,
    type ServerInputs,
} from "../../machine/machine";
import { hintIfLeaderless, machineStatusOf, mastersToLeaveBy, whatTheySaid } from "../../machine/machine-statuses";
import { isGone } from "../../machine/server";
import { bearIfGivenUp, machineToUndo } from "../../machine/undo";
import { stateFolder } from "../../shell/folders";
import type { Connection } from "../../ssh";
import { forgetStep, type NodeConnection } from "../../steps";
import { joinStep } from "../join/join-cluster";
import { setLabels } from "../set-labels";
import { leaveCluster } from "./leave";

/** A node that leaves its cluster: by its Node, or by its Host if no Node is recorded. */
export interface LeavingNode extends Pick<ServerInputs, "server"> {
    spec: Pick<NodeSpec, "clusterId" | "name" | "role" | "address" | "drain"> & {
        /** A flag of kubelet that the user gave in place of `address`. */
        nodeIp?: string;
    };
    caCertHash?: string;
    found: FoundMachine;
    /** The machine itself. */
    own: Connection;
    /** Undefined: no other control-plane node is a member. */
    master: NodeConnection | undefined;
}

/** "nothing": the machine has nothing to undo, or no longer exists. */
export type FoundMachine = "ours" | "nothing" | "unasked";

/** Steps whose result is in the cluster's node object, and lost with it. */
export const ofMembership: ReadonlySet<string> = new Set([joinStep.id, setLabels.row.id]);

/**
 * Takes a node out of its cluster, the machine's part included where it answers.
 * @throws QUORUM_AT_RISK, DRAIN_FAILED and others of leaveCluster
 */
export async function leaveBy(leaving: LeavingNode, context: Context): Promise<void> {
    const { spec, caCertHash, server, found, own, master } = leaving;
    const { clusterId, name } = spec;
    const machine = found === "ours" ? own : undefined;
    if (master === undefined) {
        await refuseLastMaster(leaving);
        context.warn(`${name}: no other master of ${clusterId} lives: the machine is reset, and no cluster lets it go`);
    }
    const { report, signal } = context;
    const elsewhere = master && (await placesElsewhere(spec, master.connection, context));
    if (elsewhere !== undefined) {
        if (machine === undefined) {
            context.warn(
                `${name}: another machine is a member under this name (${elsewhere.join(", ")}), not the one at ${spec.address}: the state is older than the cluster; nothing was taken out of it`,
            );
            return;
        }
        // The machine itself may have that address: its SSH host did not change when its address did. Then it leaves in order.
        const own = (await named(name, () => lookAtOwnAddresses(machine, name))).map(usualSpelling);
        if (!elsewhere.some(place => own.includes(usualSpelling(place)))) throw memberElsewhereError(spec, elsewhere);
    }
    const givenUp = isGivenUp(clusterId, name);
    if (found === "nothing" && !givenUp && master !== undefined)
        await named(name, () => refuseIfItLives({ spec, connection: own, other: master.connection }, context));
    // A cloud server that does not answer is deleted right after this. Any other machine that does not answer may be
    // alive, with its pods.
    const gone = givenUp || found === "nothing" || (found === "unasked" && server !== undefined);
    try {
        await leaveCluster({
            spec,
            caCertHash,
            node: machine,
            controlPlane: master,
            forgetJoin: machine && (() => forgetMembership(machine)),
            onMachineError: bearIfGivenUp({ clusterId, name, connection: own }, context),
            givenUp,
            gone,
            mayLive: found === "unasked" && !givenUp,
            report,
            signal,
        });
    } catch (error) {
        throw found === "unasked" && !gone ? notDrainedNotGivenUp(error, clusterId, name) : error;
    }
    runFacts(context).did.left.add(nodeKey(clusterId, name));
}

/** Not reset: its own etcd may hold data. */
function memberElsewhereError({ name, address }: LeavingNode["spec"], elsewhere: readonly string[]): NfvError {
    return new NfvError({
        code: "QUORUM_AT_RISK",
        node: name,
        step: "leave",
        cause: `the cluster has ${name} at ${elsewhere.join(", ")}, and the machine at ${address} answers as ${name}, too: the state is older than the cluster; nothing was changed`,
        // Without the option kubeadm would remove the member of this name from etcd: the one that lives.
        hint: `If the machine at ${address} is a former ${name}, run on it: sudo kubeadm reset -f --skip-phases=remove-etcd-member && sudo mv ${stateFolder} ${stateFolder}.former; then run pulumi up again.`,
    });
}

/** Where the member of this name is, if it certainly is another machine: a state may be older than the cluster. */
async function placesElsewhere(
    { name, address, role, nodeIp = address }: LeavingNode["spec"],
    master: Connection,
    { report, signal }: Context,
): Promise<string[] | undefined> {
    if (role === "controlPlane")
        return memberElsewhere(await lookAtMembers(master, name, { report, signal }), { name, address });
    const addresses = await lookAtAddresses(master, name, signal);
    return areElsewhere(addresses, nodeIp) ? addresses : undefined;
}

async function forgetMembership(machine: Connection): Promise<void> {
    for (const step of ofMembership) await forgetStep(machine, step);
}

interface Questioned extends ServerInputs, Pick<MachineState, "hostKey" | "jumpHostKeys"> {
    spec: Pick<NodeSpec, "clusterId" | "name" | "address">;
    connection: Connection["target"];
    caCertHash?: string;
    own: Connection;
}

/** What the machine of a Node says. */
export async function machineOf(node: Questioned, context: Context): Promise<FoundMachine> {
    const { spec, caCertHash, own } = node;
    const { clusterId, name, address } = spec;
    const gone = await isGone(context, node);
    const connection = gone ? connectTo(context, hurried(node.connection), node, node) : own;
    // A machine that does not answer is tolerated here: the deletion of its Host, which follows, refuses it, unless it is
    // a cloud server.
    const bears = gone ? awayOrReplaced : away;
    const { found } = await machineToUndo({ clusterId, name, address, caCertHash, connection, bears, gone }, context);
    return gone && found === "unasked" ? "nothing" : found;
}

/**
 * On `destroy` no Node is deleted. So deleting the last member is a mistake: the program replaces all control-plane
 * nodes at once, or the only one. A machine that does not answer may still be that member: its cloud has its server and
 * disk. Giving up excuses silence only: NFV_GIVE_UP may have stayed exported since a former run.
 * @throws QUORUM_AT_RISK
 */
async function refuseLastMaster({ spec, caCertHash, server, found, own }: LeavingNode): Promise<void> {
    const { clusterId, name, address, role } = spec;
    if (role !== "controlPlane" || found === "nothing") return;
    const risk = { code: "QUORUM_AT_RISK", node: name, step: "leave" } as const;
    const keep = `Keep ${name} as it is in the program, at its address, until another master has joined; then take it out. To end the whole cluster: pulumi destroy.`;
    if (found === "ours") {
        const facts = await named(name, () => machineStatusOf(own, address));
        if (!mayBeLastMember({ clusterId, caCertHash, name, facts })) return;
        throw new NfvError({
            ...risk,
            cause: `${name} is the last master of ${clusterId}: etcd with all data of the cluster is on it, or may be; nothing on it was changed`,
            hint: `${keep} To lose its data on purpose, run on it: sudo kubeadm reset -f && sudo rm -f ${memberFile}; then run pulumi up again.`,
        });
    }
    if (isGivenUp(clusterId, name)) return;
    const silent = server === undefined ? "it does not answer" : "it does not answer, but its cloud has its server";
    throw new NfvError({
        ...risk,
        cause: `${name} may be the last master of ${clusterId}: ${silent}, so etcd with all data of the cluster may be on it; nothing was changed`,
        hint:
            `Start ${name}, or wait until it answers, then run pulumi up again. ${keep} ` +
            `To lose its data on purpose, give it up by name: ${giveUpVariable}=${clusterId}/${name} pulumi up`,
    });
}

/**
 * Asks `groups` of control-plane nodes, one group after another, and each machine once. Undefined if every one of them
 * says that it is not a member, so the cluster is gone.
 * @throws NO_CONTROL_PLANE if one may be alive
 */
export async function masterToLeaveBy(
    { clusterId, name }: Pick<NodeSpec, "clusterId" | "name">,
    groups: readonly (readonly Peer[])[],
    context: Context,
    { orElse, mayBeMember }: LeaveOptions = {},
): Promise<NodeConnection | undefined> {
    const silent: Said = [];
    const unreachable: Said = [];
    const before = new Set<string>();
    const isNew = (peer: Peer) => !before.has(machineKey(peer)) && before.add(machineKey(peer));
    for (const group of groups) {
        const asked = await mastersToLeaveBy(
            context,
            clusterId,
            group.filter(peer => peer.name !== name && isNew(peer)),
        );
        if (asked.living !== undefined) return asked.living;
        silent.push(...asked.silent);
        unreachable.push(...asked.unreachable);
    }
    const lost: Said = [];
    for (const peer of unreachable.filter(each => !isGivenUp(clusterId, each.name)))
        if (mayBeMember === undefined || (await mayBeMember(peer))) lost.push(peer);
    const said = whatTheySaid({ silent, unreachable: lost });
    if (said.length === 0) return undefined;
    const hint = hintIfLeaderless(clusterId, silent) ?? howToLeave(clusterId, silent, unreachable, orElse);
    throw new NfvError({ code: "NO_CONTROL_PLANE", node: name, step: "leave", cause: said.join("\n"), hint });
}

/**
 * A master that answers must become ready, or let us in: it cannot be given up. The hint names all that do not answer,
 * also those given up already.
 */
function howToLeave(clusterId: string, silent: Said, unreachable: Said, orElse?: string): string {
    const given = ({ name }: Said[number]) => isGivenUp(clusterId, name);
    const shut = unreachable.filter(peer => peer.closed !== undefined && !given(peer));
    const lost = unreachable.filter(peer => !shut.includes(peer));
    const names = lost.map(peer => `${clusterId}/${peer.name}`).join(",");
    const lines = shut.map(peer => peer.closed!);
    if (silent.length > 0)
        lines.push(
            `Of ${silent.map(peer => peer.name).join(", ")} see journalctl -u kubelet: the API server must be ready there.`,
        );
    else if (!lost.every(given))
        lines.push(
            `Those that are lost for ever are given up by name: ${giveUpVariable}=${names} pulumi up (or pulumi destroy, where that was asked for)`,
        );
    if (shut.length < silent.length + unreachable.length)
        lines.unshift("Start one of these masters, then run the same command again.");
    return [lines.join(" "), ...(orElse !== undefined && shut.length === 0 ? [orElse] : [])].join("\n");
}

interface LeaveOptions {
    /** Another way out, for the hint. */
    orElse?: string;
    /** Whether a master that does not answer may be a member. @default always */
    mayBeMember?: (peer: Said[number]) => Promise<boolean>;
}

type Said = Awaited<ReturnType<typeof mastersToLeaveBy>>["silent"];

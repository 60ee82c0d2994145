import { NfvError } from "../common/errors";
import type { Role } from "../common/model";
import { howToForce, noLeader } from "./lost-majority";
import type { MachineStatus } from "./machine-status";
import { type Ownership, type OwnershipQuestion, ownershipOf } from "./ownership";
import { kubeletConfig, memberFile } from "./paths";
import { masterTraces } from "./traces";

/** How a machine becomes a member of its cluster. */
export type Mode = "init" | "join";

export interface MembershipQuestion {
    clusterId: string;
    name: string;
    role: Role;
    /** `sha256:…` of our authority's key. */
    caCertHash?: string;
    self: MachineStatus;
    /** The other control-plane nodes; facts are undefined for a machine that cannot be reached. */
    peers: readonly Peer[];
    /** Control-plane nodes of former programs that this one does not have; likewise. */
    formers?: readonly Peer[];
    /** --target or --exclude leaves out what knows the masters of former programs. @default false */
    formersUnknown?: boolean;
}

interface Situation extends MembershipQuestion {
    ownership: Ownership;
    /** For a foreign machine: what was found there. */
    why: string;
    /** What to do about it; undefined: the usual hint. */
    hint?: string;
    readyPeers: string[];
    /** Control-plane nodes of this cluster that can be reached but whose API server is not ready. */
    silentPeers: string[];
    /** Those of them whose etcd has no leader. */
    leaderless: string[];
    unreachablePeers: string[];
    /** Formers that may hold the cluster's data. */
    leaving: string[];
    /** Formers that do not answer, so that they may hold it, too. */
    silentFormers: readonly Peer[];
}

const noControlPlane = (s: Situation, cause: string, hint?: string): never => {
    throw new NfvError({ code: "NO_CONTROL_PLANE", node: s.name, step: "membership", cause, hint });
};

/** The error for a machine that is not ours. */
export function foreignNode(node: string, why: string, hint?: string): NfvError {
    const cause = `this machine is not this cluster's to use; nothing on it was changed\n${why}`;
    return new NfvError({ code: "FOREIGN_NODE", node, cause, hint });
}

/** The first row that applies. Unclear cases are errors: creating a second cluster beside the first would be worse. */
const rows: { when: (s: Situation) => boolean; answer: (s: Situation) => Mode }[] = [
    {
        when: s => s.ownership === "foreign",
        answer: s => {
            throw foreignNode(s.name, s.why, s.hint);
        },
    },
    { when: s => s.self.memberOf === s.clusterId, answer: () => "join" },
    { when: s => s.readyPeers.length > 0, answer: () => "join" },
    {
        when: s => s.leaving.length > 0,
        answer: s => {
            const names = s.leaving.join(", ");
            throw new NfvError({
                code: "QUORUM_AT_RISK",
                node: s.name,
                step: "membership",
                cause: `the cluster is on ${names}, which the program takes out, and on no master that stays; ${s.name} would begin a second one; nothing was changed`,
                hint: `Put ${names} back into the program and run pulumi up, so that ${s.name} joins. Take them out after that.`,
            });
        },
    },
    {
        when: s => s.silentFormers.length > 0,
        answer: s => {
            const names = s.silentFormers.map(({ name }) => name).join(", ");
            const shut = s.silentFormers.flatMap(({ closed }) => closed ?? []);
            const lost = s.silentFormers.filter(({ closed }) => closed === undefined);
            const given = lost.map(({ name }) => `${s.clusterId}/${name}`).join(",");
            return noControlPlane(
                s,
                `${names} cannot be reached, and the program takes them out: the cluster may live there, and ${s.name} would begin a second one; nothing was changed`,
                [
                    ...shut.map(how => `Put it back into the program: ${how}`),
                    ...(lost.length === 0
                        ? []
                        : [
                              `Start them and run pulumi up again. Those that are lost for ever are given up by name: NFV_GIVE_UP=${given} pulumi up`,
                          ]),
                ].join("\n"),
            );
        },
    },
    {
        when: s => s.silentPeers.length > 0,
        answer: s =>
            noControlPlane(
                s,
                `the API servers of ${s.silentPeers.join(", ")} are not ready, or these machines are no whole members: the cluster's data may be there`,
                s.leaderless.length > 0
                    ? `Of ${s.leaderless.join(", ")}: ${noLeader}. ${howToForce(s.clusterId, s.leaderless)}`
                    : `See journalctl -u kubelet there. One that is to hold nothing of this cluster: kubeadm reset -f on it, which deletes its etcd, then run pulumi up again.`,
            ),
    },
    {
        when: s => s.role === "worker",
        answer: s =>
            noControlPlane(
                s,
                `no control-plane node answers: ${s.peers.map(nameAndReason).join(", ") || "none given"}`,
            ),
    },
    {
        when: s => s.formersUnknown === true,
        answer: s => {
            throw new NfvError({
                code: "NO_CONTROL_PLANE",
                node: s.name,
                step: "membership",
                cause: `no other master of the program is a member, and this run leaves out (--target or --exclude) what knows those of former programs: the cluster may live there, and ${s.name} would begin a second one; nothing was changed`,
                hint: "Run pulumi up without --target and --exclude.",
            });
        },
    },
    {
        // No other machine has got further: the first init was interrupted here.
        when: s => s.self.initStarted === s.clusterId,
        answer: () => "init",
    },
    {
        // The authority is ours, or the machine would be foreign. So it is a control-plane node whose records are lost;
        // init would overwrite its etcd.
        when: s => s.self.traces.some(trace => masterTraces.includes(trace)),
        answer: s => {
            throw new NfvError({
                code: "QUORUM_AT_RISK",
                node: s.name,
                step: "membership",
                cause:
                    `this machine is a master of this cluster already (${s.self.traces.filter(trace => masterTraces.includes(trace)).join(", ")}), ` +
                    `but its note of that, ${memberFile}, is gone; nothing on it was changed`,
                hint:
                    `If the cluster lives there, put the note back and run pulumi up again: echo ${s.clusterId} | sudo tee ${memberFile}. ` +
                    "If its data is of no use any more: kubeadm reset there, which deletes etcd.",
            });
        },
    },
    {
        when: s => s.unreachablePeers.length > 0,
        answer: s =>
            noControlPlane(
                s,
                `${s.unreachablePeers.join(", ")} cannot be reached: whether the cluster exists already is not known`,
                "Start these machines, or take them out of the program if they are lost, then run pulumi up again.",
            ),
    },
    { when: () => true, answer: () => "init" },
];

/**
 * Whether kubelet has joined a cluster and our records of that are lost: the machine may be a member with pods on it.
 * If a join or init stopped halfway, there is a record of its start.
 */
export function hasLostItsNotes({ memberOf, initStarted, joinStarted = "", traces }: MachineStatus): boolean {
    return [memberOf, initStarted, joinStarted].every(note => note === "") && traces.includes(kubeletConfig);
}

interface Peer {
    name: string;
    facts?: MachineStatus;
    /** Why it cannot be reached. */
    reason?: string;
    /** It answers, and does not let us in: what to correct. */
    closed?: string;
}

const nameAndReason = ({ name, reason }: Peer) => (reason === undefined ? name : `${name} (${reason})`);

/**
 * Whether a control-plane node may have data of this cluster, by our records or by what kubeadm and etcd left there
 * under our authority. The records alone are not enough: a leave changes them before etcd removes the member, and they
 * may be lost.
 */
export function mayHoldEtcd(machine: OwnershipQuestion): boolean {
    const { clusterId, facts } = machine;
    if (facts.authorityChanged) return false;
    if ([facts.memberOf, facts.initStarted].includes(clusterId)) return true;
    return facts.traces.some(trace => masterTraces.includes(trace)) && ownershipOf(machine).ownership === "ours";
}

/**
 * Whether the cluster's only data may be on this machine, if no other control-plane node is left. An init that has not
 * ended has made none.
 */
export function mayBeLastMember(machine: OwnershipQuestion): boolean {
    const { memberOf, initStarted } = machine.facts;
    return memberOf === machine.clusterId || (initStarted !== machine.clusterId && mayHoldEtcd(machine));
}

/**
 * Whether a machine initialises the cluster or joins it. For a machine that is a member already, the join step finds
 * nothing to do. Pure.
 */
export function decideMembership(question: MembershipQuestion): Mode {
    const { clusterId, caCertHash, peers, formers = [] } = question;
    const isReady = ({ facts }: Peer) => facts!.memberOf === clusterId && facts!.apiReady;
    const holdsEtcd = ({ name, facts }: Peer) =>
        facts !== undefined && mayHoldEtcd({ clusterId, caCertHash, name, facts });
    const ofOurs = peers.filter(holdsEtcd);
    const situation: Situation = {
        ...question,
        ...ownershipOf({ ...question, facts: question.self }),
        readyPeers: ofOurs.filter(isReady).map(peer => peer.name),
        silentPeers: ofOurs.filter(peer => !isReady(peer)).map(peer => peer.name),
        leaderless: ofOurs.filter(({ facts }) => facts!.withoutLeader).map(peer => peer.name),
        unreachablePeers: peers.filter(peer => !peer.facts).map(nameAndReason),
        leaving: formers
            .filter(({ name, facts }) => facts && mayBeLastMember({ clusterId, caCertHash, name, facts }))
            .map(peer => peer.name),
        silentFormers: formers.filter(peer => !peer.facts),
    };
    return rows.find(row => row.when(situation))!.answer(situation);
}

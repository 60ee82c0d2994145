import { NfvError } from "../errors";
import type { Role } from "../model";
import type { MachineFacts } from "./machine-facts";
import { type Ownership, ownershipOf } from "./ownership";
import { kubeletConfig, memberFile } from "./paths";
import { masterTraces } from "./traces";

/** How a machine gets into its cluster. */
export type Mode = "init" | "join";

export interface MembershipQuestion {
    clusterId: string;
    name: string;
    role: Role;
    /** `sha256:…` of our authority's key. */
    caCertHash?: string;
    self: MachineFacts;
    /** The other masters; facts are undefined where the machine cannot be reached. */
    peers: readonly Peer[];
}

interface Situation extends MembershipQuestion {
    ownership: Ownership;
    /** Of a foreign machine: what was seen. */
    why: string;
    /** What to do about that; undefined: the usual. */
    hint?: string;
    readyPeers: string[];
    /** Masters of this cluster that are there but whose API server is not ready. */
    silentPeers: string[];
    unreachablePeers: string[];
}

const noControlPlane = (s: Situation, cause: string, hint?: string): never => {
    throw new NfvError({ code: "NO_CONTROL_PLANE", node: s.name, step: "membership", cause, hint });
};

/** The refusal of a machine that is not ours. */
export function foreignNode(node: string, why: string, hint?: string): NfvError {
    const cause = `this machine is not this cluster's to use; nothing on it was changed\n${why}`;
    return new NfvError({ code: "FOREIGN_NODE", node, cause, hint });
}

/** The first row that applies. Whatever is unclear is an error: a second cluster beside the first would be worse. */
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
        when: s => s.silentPeers.length > 0,
        answer: s =>
            noControlPlane(
                s,
                `the API servers of ${s.silentPeers.join(", ")} are not ready, or these machines are no whole members: the cluster's data may be there`,
                `See journalctl -u kubelet there. One that is to hold nothing of this cluster: kubeadm reset -f on it, which deletes its etcd, then run pulumi up again.`,
            ),
    },
    {
        when: s => s.role === "worker",
        answer: s =>
            noControlPlane(s, `no master answers: ${s.peers.map(peer => peer.name).join(", ") || "none given"}`),
    },
    {
        // nobody has got further than we: the first init was interrupted here
        when: s => s.self.initStarted === s.clusterId,
        answer: () => "init",
    },
    {
        // Its keys are ours, or it would be foreign: it is a master of this cluster whose notes are lost. init would write over etcd.
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
 * Its kubelet has joined a cluster, and our notes of that are gone: it may be a member with pods on it. One whose join or init stopped
 * halfway has a note of its begin.
 */
export function hasLostItsNotes({ memberOf, initStarted, joinStarted = "", traces }: MachineFacts): boolean {
    return [memberOf, initStarted, joinStarted].every(note => note === "") && traces.includes(kubeletConfig);
}

interface Peer {
    name: string;
    facts?: MachineFacts;
}

/**
 * Whether a master may have data of this cluster: by its notes, or by what kubeadm and etcd left there under our authority. The notes alone
 * are not enough: a leave changes them before etcd removes the member, and they may be lost.
 */
export function mayHoldEtcd(machine: {
    clusterId: string;
    caCertHash?: string;
    name: string;
    facts: MachineFacts;
}): boolean {
    const { clusterId, facts } = machine;
    if (facts.authorityChanged) return false;
    if ([facts.memberOf, facts.initStarted].includes(clusterId)) return true;
    return facts.traces.some(trace => masterTraces.includes(trace)) && ownershipOf(machine).ownership === "ours";
}

/** Whether the cluster's data may be gone with this machine, where no other master is left. An init that has not ended has made none. */
export function mayBeLastMember(machine: Parameters<typeof mayHoldEtcd>[0]): boolean {
    const { memberOf, initStarted } = machine.facts;
    return memberOf === machine.clusterId || (initStarted !== machine.clusterId && mayHoldEtcd(machine));
}

/** Whether a machine initialises the cluster or joins it. A member stays one: its join step finds nothing to do. Pure. */
export function decideMembership(question: MembershipQuestion): Mode {
    const { clusterId, caCertHash, peers } = question;
    const isReady = ({ facts }: Peer) => facts!.memberOf === clusterId && facts!.apiReady;
    const ofOurs = peers.filter(({ name, facts }) => facts && mayHoldEtcd({ clusterId, caCertHash, name, facts }));
    const situation: Situation = {
        ...question,
        ...ownershipOf({ ...question, facts: question.self }),
        readyPeers: ofOurs.filter(isReady).map(peer => peer.name),
        silentPeers: ofOurs.filter(peer => !isReady(peer)).map(peer => peer.name),
        unreachablePeers: peers.filter(peer => !peer.facts).map(peer => peer.name),
    };
    return rows.find(row => row.when(situation))!.answer(situation);
}

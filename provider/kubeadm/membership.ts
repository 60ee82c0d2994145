import { NfvError } from "../errors";
import type { Role } from "../model";
import { sh, usualPath } from "../node/script";
import { apiReady } from "./api-ready";
import { adminConfig, initStartedFile, kubeletConfig, memberFile, pkiFolder } from "./paths";

/** How a machine gets into its cluster. */
export type Mode = "init" | "join";

/** What a machine says about itself. */
export interface MachineFacts {
    /** Cluster that it became a member of; empty: of none. */
    memberOf: string;
    /** Cluster whose init began here and has not ended. */
    initStarted: string;
    /** kubelet has an identity of some cluster. */
    hasKubelet: boolean;
    /** SHA-256 of the CA certificate file; empty: there is none. */
    caSum: string;
    /** The machine's own API server is ready. */
    apiReady: boolean;
    /** There is etcd data. */
    hasEtcd: boolean;
}

/** Prints a machine's facts as lines "name=value". Wants ADDRESS. Changes nothing. */
export const factsScript =
    `${usualPath}\n` +
    apiReady +
    sh`
    yes_if() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }
    ready() { [ -s ${adminConfig} ] && api_ready; }
    echo "memberOf=$(cat ${memberFile} 2>/dev/null || true)"
    echo "initStarted=$(cat ${initStartedFile} 2>/dev/null || true)"
    echo "hasKubelet=$(yes_if test -s ${kubeletConfig})"
    echo "caSum=$(sha256sum < ${pkiFolder}/ca.crt 2>/dev/null | cut -d ' ' -f 1)"
    echo "apiReady=$(yes_if ready)"
    echo "hasEtcd=$(yes_if test -d /var/lib/etcd/member)"
`;

export function parseFacts(text: string): MachineFacts {
    const facts = new Map(text.split("\n").map(line => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
    const value = (name: string) => (facts.get(name) ?? "").trim();
    return {
        memberOf: value("memberOf"),
        initStarted: value("initStarted"),
        hasKubelet: value("hasKubelet") === "yes",
        caSum: value("caSum"),
        apiReady: value("apiReady") === "yes",
        hasEtcd: value("hasEtcd") === "yes",
    };
}

export interface MembershipQuestion {
    clusterId: string;
    name: string;
    role: Role;
    self: MachineFacts;
    /** The other masters; facts are undefined where the machine cannot be reached. */
    peers: readonly { name: string; facts?: MachineFacts }[];
}

interface Situation extends MembershipQuestion {
    readyPeers: string[];
    /** Masters of this cluster that are there but whose API server is not ready. */
    silentPeers: string[];
    unreachablePeers: string[];
}

const noControlPlane = (s: Situation, cause: string, hint?: string): never => {
    throw new NfvError({ code: "NO_CONTROL_PLANE", node: s.name, step: "membership", cause, hint });
};

/** The first row that applies. Whatever is unclear is an error: a second cluster beside the first would be worse. */
const rows: { when: (s: Situation) => boolean; answer: (s: Situation) => Mode }[] = [
    {
        when: s => s.self.memberOf !== "" && s.self.memberOf !== s.clusterId,
        answer: s => {
            const cause = `this machine is a member of cluster ${s.self.memberOf}`;
            throw new NfvError({ code: "FOREIGN_NODE", node: s.name, step: "membership", cause });
        },
    },
    {
        when: s => s.self.memberOf === "" && s.self.hasKubelet && s.self.initStarted === "" && s.self.hasEtcd,
        answer: s => {
            // a half-joined master of ours looks the same, unless somebody is there whom it could have joined
            if (s.readyPeers.length > 0) return "join";
            const cause = "this machine runs a control plane that we did not make";
            throw new NfvError({ code: "FOREIGN_NODE", node: s.name, step: "membership", cause });
        },
    },
    { when: s => s.self.memberOf === s.clusterId, answer: () => "join" },
    { when: s => s.readyPeers.length > 0, answer: () => "join" },
    {
        when: s => s.silentPeers.length > 0,
        answer: s => noControlPlane(s, `the API servers of ${s.silentPeers.join(", ")} are not ready`),
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

/** Whether a machine initialises the cluster or joins it. A member stays one: its join step finds nothing to do. Pure. */
export function decideMembership(question: MembershipQuestion): Mode {
    const { clusterId, peers } = question;
    const ofOurs = peers.filter(
        peer => peer.facts && [peer.facts.memberOf, peer.facts.initStarted].includes(clusterId),
    );
    const situation: Situation = {
        ...question,
        readyPeers: ofOurs
            .filter(peer => peer.facts!.memberOf === clusterId && peer.facts!.apiReady)
            .map(peer => peer.name),
        silentPeers: ofOurs
            .filter(peer => !(peer.facts!.memberOf === clusterId && peer.facts!.apiReady))
            .map(peer => peer.name),
        unreachablePeers: peers.filter(peer => !peer.facts).map(peer => peer.name),
    };
    return rows.find(row => row.when(situation))!.answer(situation);
}

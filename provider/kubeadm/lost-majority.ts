import { bracketed } from "../common/cidr";
import { NfvError } from "../common/errors";
import { etcdData, memberFile } from "./paths";

/*
 * etcd without a majority: most of the cluster's masters are lost. What is there decides, purely, whether one of the survivors may become a cluster of
 * its own. Giving up a majority that lives would make two clusters of one, so each doubt is a refusal.
 */

/** Environment variable: the master whose data is made a cluster of its own, by its whole name: "core-1a2b3c4d/m1". */
export const newClusterVariable = "NFV_FORCE_NEW_CLUSTER";

/** What an error says of a master whose etcd has no leader. */
export const noLeader = "its etcd has no leader: most of etcd's members do not answer";

/** For errors: what to do where `names` are masters whose etcd has no leader. */
export function howToForce(clusterId: string, names: readonly string[]): string {
    return (
        "Start the other masters. Only if most of them are lost for ever: docs/lost-majority.md; " +
        `the data of ${names.join(" or ")} is then made a cluster of its own by ` +
        `${newClusterVariable}=${clusterId}/${names[0]} NFV_GIVE_UP=${clusterId}/NAME-OF-A-LOST-ONE,… pulumi up`
    );
}

/** One member, as the survivor's data has it. */
export interface DataMember {
    /** Empty for one that never started. */
    name: string;
    peerUrl: string;
    clientUrl: string;
}

/** What the survivor says. */
export interface Survey {
    curl: boolean;
    /** Data of etcd is on it. */
    data: boolean;
    /** Its etcd has a leader. */
    healthy: boolean;
    /** A former run was interrupted while it exchanged the data. */
    halfDone: boolean;
    /** Undefined: its etcd does not run at the moment. */
    members?: DataMember[];
}

export function parseSurvey(said: string): Survey {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(said)?.[1] ?? "";
    const is = (name: string) => value(name) === "yes";
    const members = membersIn(value("members"));
    return {
        curl: is("curl"),
        data: is("data"),
        healthy: is("healthy"),
        halfDone: is("halfDone"),
        ...(members && { members }),
    };
}

function membersIn(json: string): DataMember[] | undefined {
    try {
        const list = JSON.parse(json) as { name?: string; peerURLs?: string[]; clientURLs?: string[] }[];
        if (list.length === 0) return undefined;
        return list.map(({ name = "", peerURLs: [peerUrl = ""] = [], clientURLs: [clientUrl] = [] }) => {
            return { name, peerUrl, clientUrl: clientUrl ?? peerUrl.replace(/:2380$/, ":2379") };
        });
    } catch {
        return undefined;
    }
}

/** How a member answers the survivor: "runs" is without a majority. */
export type MemberAnswer = "healthy" | "runs" | "silent";

export function parseAnswers(said: string): Record<string, MemberAnswer> {
    const lines = said.split("\n").map(line => line.trim().split(" "));
    return Object.fromEntries(
        lines.filter(([url, answer]) => url && answer).map(([url, answer]) => [url, answer as MemberAnswer]),
    );
}

/** Another master that the program or a former one names. */
export interface OtherMaster {
    name: string;
    /** Where its API server listens. */
    address: string;
    /** It answers, and calls itself a member, or has data of etcd. */
    isMaster?: boolean;
    /** It does not let us in: what to correct. */
    closed?: string;
    /** It does not answer: why. */
    silent?: string;
}

export interface Loss {
    clusterId: string;
    /** The survivor. */
    name: string;
    survey: Survey;
    answers: Readonly<Record<string, MemberAnswer>>;
    others: readonly OtherMaster[];
    isGivenUp: (name: string) => boolean;
}

export const peerUrlOf = (address: string) => `https://${bracketed(address)}:2380`;

/** The members whose answers count: those that the data names, or the other masters, if no etcd says what the data names. */
export function membersToAsk({ name, survey, others }: Pick<Loss, "name" | "survey" | "others">): DataMember[] {
    if (survey.members !== undefined) return survey.members.filter(member => member.name !== name);
    const urls = others.map(({ name: other, address }) => ({ name: other, peerUrl: peerUrlOf(address), address }));
    return urls.map(({ address, ...member }) => ({ ...member, clientUrl: `https://${bracketed(address)}:2379` }));
}

/**
 * Why the survivor must not become a cluster of its own, all reasons together; undefined: it may. Pure.
 */
export function whyNotForce(loss: Loss): NfvError | undefined {
    const { clusterId, name, survey } = loss;
    const error = (code: "INVALID_INPUT" | "QUORUM_AT_RISK", cause: string, hint: string) =>
        new NfvError({ code, node: name, step: newClusterVariable, cause: `${cause}; nothing was changed`, hint });
    const takeAway = `Run pulumi up without ${newClusterVariable}.`;
    if (!survey.curl) return error("INVALID_INPUT", "curl is missing on it", "Install curl there, then run it again.");
    if (!survey.data)
        return error("INVALID_INPUT", "it has no data of etcd", `Name a master that has: sudo ls ${etcdData}/member`);
    if (survey.healthy) {
        const count = survey.members?.length ?? 0;
        const what = count === 1 ? "is a cluster of one member already, and works" : `has a majority (of ${count})`;
        return error("QUORUM_AT_RISK", `its etcd ${what}: there is nothing to force`, takeAway);
    }
    const members = membersToAsk(loss);
    if (survey.members?.every(member => member.name !== name))
        return error(
            "QUORUM_AT_RISK",
            `its etcd does not have ${name} as a member, but ${members.map(each => each.name).join(", ")}: its data is from before ${name} was removed`,
            "Take the data of another master.",
        );
    if (members.length === 0 && !survey.halfDone)
        return error("QUORUM_AT_RISK", "it is its etcd's only member: no other can be missing", takeAway);
    const lives = livingOnes(loss, members);
    if (lives.length > 0)
        return error(
            "QUORUM_AT_RISK",
            lives.join("\n"),
            `Mend these masters: with them etcd may get its majority back, and nothing is lost. If the data of ${name} shall count and theirs not, ` +
                `turn them off and give them up by name, or run on each: sudo kubeadm reset -f --skip-phases=remove-etcd-member && sudo rm -f ${memberFile}`,
        );
    const doubts = doubtfulOnes(loss, members);
    if (doubts.length === 0) return undefined;
    const names = [...new Set(doubts.map(each => each.name))].map(each => `${clusterId}/${each}`).join(",");
    return error(
        "QUORUM_AT_RISK",
        doubts.map(each => each.why).join("\n"),
        "Silence does not prove that they are lost. Start them, then run pulumi up. If they are lost for ever and turned off, give up each by name: " +
            `${newClusterVariable}=${clusterId}/${name} NFV_GIVE_UP=${names} pulumi up`,
    );
}

function livingOnes({ answers, others }: Loss, members: readonly DataMember[]): string[] {
    const nameOf = ({ name, peerUrl }: DataMember) => name || peerUrl;
    return [
        ...members
            .filter(member => answers[member.peerUrl] === "healthy")
            .map(member => `${nameOf(member)}: its etcd has a majority`),
        ...members
            .filter(member => answers[member.peerUrl] === "runs")
            .map(member => `${nameOf(member)}: its etcd runs, and waits for the others`),
        ...others
            .filter(({ isMaster }) => isMaster)
            .map(({ name }) => `${name}: it answers, and is a master of a cluster`),
        ...others.flatMap(({ closed }) => closed ?? []),
    ];
}

/**
 * Masters of which only silence is known. A machine that answers and is empty is lost by its own word. One that the data does not have may be a member all
 * the same: a survivor that was cut off does not know who has joined since.
 */
function doubtfulOnes({ name: survivor, survey, others, isGivenUp }: Loss, members: readonly DataMember[]) {
    const known = survey.members !== undefined;
    const ofData = members.map(({ name, peerUrl }) => {
        const machine = others.find(({ address }) => peerUrlOf(address) === peerUrl);
        const label = name || machine?.name || new URL(peerUrl).hostname;
        if (machine !== undefined && machine.silent === undefined) return undefined;
        const why = machine?.silent ?? `no master of the program has its address (${peerUrl}), so it cannot be asked`;
        return { name: label, why: `${label}: ${known ? "" : "may be a member; "}${why}` };
    });
    const later = others
        .filter(({ silent, address }) => silent && !members.some(({ peerUrl }) => peerUrl === peerUrlOf(address)))
        .map(({ name, silent }) => {
            return { name, why: `${name}: the data of ${survivor} does not have it, and may be older; ${silent}` };
        });
    return [...ofData, ...later]
        .filter(each => each !== undefined)
        .filter(each => !isGivenUp(each.name))
        .sort((a, b) => a.name.localeCompare(b.name));
}

import { isIP } from "node:net";
import { bracketed, usualSpelling } from "../common/cidr";
import { NfvError } from "../common/errors";

/** One member of etcd, as reported by `etcdctl member list` and `endpoint health`. */
export interface EtcdMember {
    /** Hexadecimal. */
    id: string;
    /** Empty for a member that was added and has never started. */
    name: string;
    peerUrls: string[];
    isLearner: boolean;
    /** Whether it answered the health check. */
    healthy: boolean;
}

/** Parses the JSON of `etcdctl member list` and `etcdctl endpoint health --cluster`. */
export function parseMembers(listJson: string, healthJson: string): EtcdMember[] {
    // ids have 64 bits, more than a JavaScript number holds: read them as text
    const list = parsed(listJson.replace(/("ID"\s*:\s*)(\d+)/g, '$1"$2"')) as {
        members?: {
            ID: string;
            name?: string;
            peerURLs?: string[];
            clientURLs?: string[];
            isLearner?: boolean;
        }[];
    };
    const health = parsed(healthJson) as { endpoint: string; health: boolean }[];
    const healthy = new Set(health.filter(row => row.health).map(row => row.endpoint));
    return (list.members ?? []).map(member => ({
        id: BigInt(member.ID).toString(16),
        name: member.name ?? "",
        peerUrls: member.peerURLs ?? [],
        isLearner: member.isLearner ?? false,
        healthy: (member.clientURLs ?? []).some(url => healthy.has(url)),
    }));
}

function parsed(json: string): unknown {
    try {
        return JSON.parse(json);
    } catch {
        const cause = `etcd's answer cannot be read: ${json.slice(0, 200)}`;
        throw new NfvError({ code: "NO_CONTROL_PLANE", step: "look at etcd's members", cause });
    }
}

/** The number of voters that must agree. */
export function quorumOf(voters: number): number {
    return Math.floor(voters / 2) + 1;
}

/** Whether a control-plane node is a member of etcd, by its exact name or its peer address. */
export function hasMember(
    members: readonly EtcdMember[],
    { name, address }: { name: string; address: string },
): boolean {
    return members.some(one => one.name === name || one.peerUrls.includes(peerUrl(address)));
}

/**
 * The peer addresses of the member with this name, where it is another machine than the one at `address`. Undefined if there is no such member, or
 * if it is that machine, or if that is uncertain.
 */
export function memberElsewhere(
    members: readonly EtcdMember[],
    { name, address }: { name: string; address: string },
): string[] | undefined {
    const urls = members.filter(one => one.name === name).flatMap(one => one.peerUrls);
    const hosts = urls.map(url => new URL(url).hostname.replace(/^\[|\]$/g, ""));
    return areElsewhere(hosts, address) ? hosts : undefined;
}

/**
 * Whether a machine with these addresses is certainly another one than that at `address`. Uncertain: 0.0.0.0 stands for any, and a machine with
 * addresses of the other family only may have both.
 */
export function areElsewhere(addresses: readonly string[], address: string): boolean {
    const family = isIP(address);
    const known = addresses.filter(each => isIP(each) === family).map(usualSpelling);
    const isCertain = family !== 0 && !["0.0.0.0", "::"].includes(address) && known.length > 0;
    return isCertain && known.length === addresses.length && !known.includes(usualSpelling(address));
}

function peerUrl(address: string): string {
    return `https://${bracketed(address)}:2380`;
}

/**
 * The etcd member of a control-plane node that leaves, if there is one: found by its exact name, or by its peer address
 * if it never started. Throws if too few healthy voters would remain, or if etcd could not agree on the removal.
 */
export function memberToRemove(members: readonly EtcdMember[], leaving: { name: string; address: string }) {
    const member =
        members.find(one => one.name === leaving.name) ??
        members.find(one => one.name === "" && one.peerUrls.includes(peerUrl(leaving.address)));
    if (member === undefined || member.isLearner) return member;
    const voters = members.filter(one => !one.isLearner);
    const healthyNow = voters.filter(one => one.healthy).length;
    const rest = voters.filter(one => one !== member);
    const healthyRest = rest.filter(one => one.healthy).length;
    const enough = healthyNow >= quorumOf(voters.length) && rest.length > 0 && healthyRest >= quorumOf(rest.length);
    if (enough) return member;
    throw new NfvError({
        code: "QUORUM_AT_RISK",
        node: leaving.name,
        step: "leave etcd",
        cause:
            `etcd has ${voters.length} voters, ${healthyNow} of them healthy (it needs ${quorumOf(voters.length)}); ` +
            `without ${leaving.name} ${healthyRest} of ${rest.length} would be healthy (it would need ${quorumOf(rest.length)})`,
    });
}

/** The members that remain when these leave, one after another. @throws QUORUM_AT_RISK where one of them may not leave */
export function membersWithout(
    members: readonly EtcdMember[],
    leavers: readonly { name: string; address: string }[],
): readonly EtcdMember[] {
    return leavers.reduce((rest, leaver) => {
        const gone = memberToRemove(rest, leaver);
        return rest.filter(member => member !== gone);
    }, members);
}

/** Whether all of these may leave. */
export function mayLeave(
    members: readonly EtcdMember[],
    leavers: readonly { name: string; address: string }[],
): boolean {
    try {
        membersWithout(members, leavers);
        return true;
    } catch (error) {
        if (error instanceof NfvError && error.code === "QUORUM_AT_RISK") return false;
        throw error;
    }
}

/** Whether each voter answered the health check. */
export function allVotersHealthy(members: readonly EtcdMember[]): boolean {
    return members.every(({ healthy, isLearner }) => healthy || isLearner);
}

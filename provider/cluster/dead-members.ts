import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { findings, type Sight } from "../health/findings";
import { allVotersHealthy, type EtcdMember } from "../kubeadm/etcd-members";
import { lookAtMembers } from "../kubeadm/look";
import { tell } from "../machine/health";
import type { Peer } from "../machine/machine";
import { readyControlPlaneNode } from "../machine/machine-statuses";

/** Voters that do not answer and belong to no master of the program: each makes the loss of one more master fatal. Pure. */
export function deadMembers(members: readonly EtcdMember[], masters: readonly string[]): EtcdMember[] {
    return members.filter(({ name, healthy, isLearner }) => !healthy && !isLearner && !masters.includes(name));
}

/** Masters of the program that etcd does not list, and voters among them that do not answer. Pure. */
export function sickMembers(members: readonly EtcdMember[], masters: readonly string[]): Sight[] {
    // A member that was added and has not started yet has no name: it may be any of them.
    if (members.some(({ name }) => name === "")) return [];
    return masters.flatMap((name): Sight[] => {
        const member = members.find(each => each.name === name);
        if (member === undefined) return [{ name, etcdMember: "missing" }];
        return member.healthy || member.isLearner ? [] : [{ name, etcdMember: "silent" }];
    });
}

/**
 * A refresh drops a control-plane node whose machine was reinstalled. If the user then removes it from the program, no resource is left
 * that removes its member of etcd. An error here does not fail the operation.
 */
export async function warnOfDeadMembers(clusterId: string, masters: readonly Peer[], context: Context): Promise<void> {
    try {
        const { name, connection } = await readyControlPlaneNode(context, clusterId, masters, "any");
        const names = masters.map(master => master.name);
        const { report, signal } = context;
        const members = await lookAtMembers(connection, undefined, { report, signal, enough: allVotersHealthy });
        for (const sight of sickMembers(members, names)) tell(sight.name, findings(sight), context);
        for (const member of deadMembers(members, names)) {
            context.warn(
                `etcd has the member ${member.name || member.peerUrls.join()}, which is no master of the program and does not answer. ` +
                    `If it is still a member after this run, remove it on ${name}: etcdctl member remove ${member.id}`,
            );
        }
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(
            `etcd's members could not be looked at, so a dead one would not be seen: ${error.reason.trimEnd().replaceAll("\n", "; ")}`,
        );
    }
}

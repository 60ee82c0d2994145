import { NfvError } from "../errors";
import type { EtcdMember } from "../kubeadm/etcd-members";
import { lookAtMembers } from "../kubeadm/look";
import type { Peer } from "./machine";
import { readyControlPlaneNode } from "./machine-statuses";
import type { Context } from "./types";

/** Voters that do not answer and belong to no master of the program: each makes the loss of one more master fatal. Pure. */
export function deadMembers(members: readonly EtcdMember[], masters: readonly string[]): EtcdMember[] {
    return members.filter(({ name, healthy, isLearner }) => !healthy && !isLearner && !masters.includes(name));
}

/**
 * A refresh drops a control-plane node whose machine was reinstalled. If the user then removes it from the program, no resource is left
 * that removes its member of etcd. An error here does not fail the operation.
 */
export async function warnOfDeadMembers(clusterId: string, masters: readonly Peer[], context: Context): Promise<void> {
    try {
        const { name, connection } = await readyControlPlaneNode(context, clusterId, masters, "any");
        const names = masters.map(master => master.name);
        for (const member of deadMembers(await lookAtMembers(connection, undefined, context), names)) {
            context.warn(
                `etcd has the member ${member.name || member.peerUrls.join()}, which is no master of the program and does not answer. ` +
                    `If it is still a member after this run, remove it on ${name}: etcdctl member remove ${member.id}`,
            );
        }
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
    }
}

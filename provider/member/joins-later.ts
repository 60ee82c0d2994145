import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { Context, InSession } from "../contract/types";
import type { MachineStatus } from "../kubeadm/machine-status";

/*
 * Between the first control-plane node that trusts the next authorities alone and the last one, a machine that joins would get a certificate that some of them
 * refuse. It joins with the next run: this one ends the rotation, which comes after all Nodes.
 */

interface Asked {
    facts?: MachineStatus;
}

/** Whether the control-plane nodes that answer trust different authorities. Pure. */
export function trustDifferentOnes(clusterId: string, peers: readonly Asked[]): boolean {
    const members = peers.flatMap(({ facts }) => (facts?.memberOf === clusterId ? [facts] : []));
    const keys = members.filter(each => !each.authorityChanged).flatMap(({ trusts = [] }) => trusts.slice(0, 1));
    return new Set(keys).size > 1;
}

export function noteThatWaits(clusterId: string, name: string, context: Context): void {
    runFacts(context).did.postponed.set(clusterId, [...nodesThatWait(context, clusterId), name]);
    context.warn(
        `${name} does not join yet: a rotation of the authorities was stopped while some control-plane nodes trusted the new ones and others the former ones. ` +
            "This run goes on with it; the next pulumi up lets it join",
    );
}

export function nodesThatWait(context: InSession, clusterId: string): readonly string[] {
    return runFacts(context).did.postponed.get(clusterId) ?? [];
}

/** At the end of the run, after all that could be done. @throws ROTATION_FAILED */
export function refuseWhereNodesWait(clusterId: string, context: InSession): void {
    const names = nodesThatWait(context, clusterId);
    if (names.length === 0) return;
    throw new NfvError({
        code: "ROTATION_FAILED",
        step: "join the cluster",
        cause: `${names.join(", ")} did not join, because a rotation of the authorities was in its middle when this run began`,
        hint: "Run pulumi up again. Where rotate.authorities is not in the program, put its last word back first, until the rotation has ended.",
    });
}

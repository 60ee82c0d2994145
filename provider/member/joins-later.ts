import { NfvError } from "../common/errors";
import { type Postponed, runFacts } from "../contract/run-facts";
import type { Context, InSession } from "../contract/types";
import type { MachineStatus } from "../kubeadm/machine-status";

/*
 * In the middle of some requests no machine can join. It joins with the next run: this one goes on with the request.
 */

/** Between the first control-plane node that trusts the next authorities alone and the last one, a machine that joins would get a certificate that some of them refuse. */
const rotation = {
    code: "ROTATION_FAILED",
    during: "a rotation of the authorities was stopped while some control-plane nodes trusted the new ones and others the former ones",
    hint: "Run pulumi up again. Where rotate.authorities is not in the program, put its last word back first, until the rotation has ended.",
} as const;

/** kubeadm makes a control-plane node in the version that the cluster has, and kubelet must not be newer than an API server. */
const upgrade = {
    code: "UPGRADE_FAILED",
    during: "the cluster is moving to another version of Kubernetes, and control-plane nodes have the previous one",
    hint: "Run pulumi up again.",
} as const;

export const middleOf = { rotation, upgrade };

interface Asked {
    facts?: MachineStatus;
}

/** Whether the control-plane nodes that answer trust different authorities. Pure. */
export function trustDifferentOnes(clusterId: string, peers: readonly Asked[]): boolean {
    const members = peers.flatMap(({ facts }) => (facts?.memberOf === clusterId ? [facts] : []));
    const keys = members.filter(each => !each.authorityChanged).flatMap(({ trusts = [] }) => trusts.slice(0, 1));
    return new Set(keys).size > 1;
}

export function noteThatWaits(
    clusterId: string,
    name: string,
    context: Context,
    middle: Omit<Postponed, "name">,
): void {
    const { postponed } = runFacts(context).did;
    postponed.set(clusterId, [...(postponed.get(clusterId) ?? []), { name, ...middle }]);
    context.warn(
        `${name} does not join yet: ${middle.during}. This run goes on with it; the next pulumi up lets it join`,
    );
}

export function nodesThatWait(context: InSession, clusterId: string): readonly string[] {
    return (runFacts(context).did.postponed.get(clusterId) ?? []).map(({ name }) => name);
}

/** At the end of the run, after all that could be done. @throws ROTATION_FAILED, UPGRADE_FAILED */
export function refuseWhereNodesWait(clusterId: string, context: InSession): void {
    const waiting = runFacts(context).did.postponed.get(clusterId) ?? [];
    const [first] = waiting;
    if (first === undefined) return;
    const { code, during, hint } = first;
    const names = waiting.map(({ name }) => name).join(", ");
    const cause = `${names} did not join: ${during}`;
    throw new NfvError({ code, step: "join the cluster", cause, hint });
}

import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import { runFacts } from "../../contract/run-facts";
import type { InSession } from "../../contract/types";
import { healedInRun } from "../../operation/healed-in-run";
import { type MovingNode, readinessNow } from "./node-upgrade";
import { problemsOf } from "./readiness";
import { moveBetween } from "./versions";

/*
 * A node was lost in the middle of an upgrade, and this run heals it. Control-plane nodes take turns, so it may be healed only after those that move: they wait for the next run
 * where the cluster would refuse their move because of it. Nothing has to be taken out of the program.
 */

/** Why a member does not move to the wanted version in this run; undefined: it does, or is refused for another reason. */
export async function whyMoveWaits(node: MovingNode, from: string): Promise<string | undefined> {
    const { spec, context } = node;
    const { clusterId, name, role, kubernetesVersion: to } = spec;
    if (isUnmoved(spec, context)) return "the control-plane nodes move first, and they wait for the next pulumi up";
    const healed = healedInRun(context, clusterId, "controlPlane").filter(each => each !== name);
    if (role !== "controlPlane" || healed.length === 0) return undefined;
    const found = await readinessNow(node, from);
    const workers = healedInRun(context, clusterId, "worker");
    const problems = (moving: readonly string[]) =>
        problemsOf(found, { to, policy: spec.drain.policy, moving: [...moving, ...workers] });
    const because = problems([name]).filter(problem => !problems([name, ...healed]).includes(problem));
    if (because.length === 0) return undefined;
    runFacts(context).did.unmoved.add(clusterId);
    return `this run heals ${healed.join(", ")} first (${because.join("; ")})`;
}

/** Whether control-plane nodes of this cluster keep the previous version in this run, so kubelet must not be newer either. */
export const isUnmoved = ({ clusterId }: Pick<NodeSpec, "clusterId">, context: InSession): boolean =>
    runFacts(context).did.unmoved.has(clusterId);

/** Whether a control-plane node could not join because the cluster is to move to its version first, which the others do behind it. */
export async function joinsBehindMove(error: unknown, node: MovingNode): Promise<boolean> {
    const { kubernetesVersion: to, role } = node.spec;
    if (!(error instanceof NfvError) || error.code !== "VERSION_MISMATCH" || role !== "controlPlane") return false;
    const names = node.controlPlane.map(each => each.name);
    try {
        const { cluster, nodes } = await readinessNow(node, to);
        const isBehind = names.some(name => nodes[name] !== undefined && nodes[name].version !== to);
        return isBehind && ["patch", "minor"].includes(moveBetween(cluster, to));
    } catch (cause) {
        if (cause instanceof NfvError) return false;
        throw cause;
    }
}

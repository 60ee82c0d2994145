import type { Context } from "../../contract/types";
import { retryUntilControlPlaneReady, untilControlPlaneReady } from "../../machine/control-plane-ready";
import { connectTo, isUnreachable, named } from "../../machine/machine";
import { programMasters } from "../../machine/program-masters";
import { bearIfGivenUp } from "../../machine/undo";
import { stateFolder } from "../../shell/folders";
import type { Connection } from "../../ssh";
import { forgetStep } from "../../steps";
import { forgetNodeSteps } from "../forget-node-steps";
import { refuseWhereNodesWait } from "../joins-later";
import type { NodeInputs, NodeState } from "../node-state";
import { planOf } from "../node-steps";
import { leaveCluster } from "./leave";
import { leaveBy, machineOf, masterToLeaveBy } from "./leave-node";

/** Leaves through a ready control-plane node. If the machine or the cluster is gone, does only what remains. */
export async function leaveByNode(state: NodeState, context: Context): Promise<void> {
    const { spec, controlPlane } = state;
    // A heal in turns: no further node leaves while one that has left could not join again.
    refuseWhereNodesWait(spec.clusterId, context);
    const { caCertHash } = spec.identity;
    // The state may have a former login of the masters: another login changes no worker's Node.
    const { wanted = [], former = [] } = programMasters(context, spec.clusterId) ?? {};
    const groups = [wanted, controlPlane, former];
    const own = connectTo(context, state.connection, state, state);
    const [found, master] = await Promise.all([
        machineOf({ ...state, caCertHash, own }, context),
        retryUntilControlPlaneReady(context, spec.clusterId, () => masterToLeaveBy(spec, groups, context)),
    ]);
    await leaveBy({ spec, caCertHash, server: state.server, found, own, master }, context);
    if (found !== "ours") return;
    try {
        await forgetNodeSteps(spec.role, own);
    } catch (error) {
        const { clusterId, name } = spec;
        if (!isUnreachable(error)) bearIfGivenUp({ clusterId, name, connection: own }, context)(error);
    }
}

/**
 * Its join begins with a reset. So pods and the etcd member are removed first, as for a final leave. @throws
 * DRAIN_FAILED, QUORUM_AT_RISK
 */
export async function leaveToJoinAgain(inputs: NodeInputs, machine: Connection, context: Context): Promise<void> {
    const { spec, controlPlane } = inputs;
    const { clusterId, name, identity } = spec;
    const { report, signal } = context;
    context.warn(`${name}: our notes on it (${stateFolder}) are gone: it leaves the cluster in order and joins again`);
    const others = controlPlane.filter(peer => peer.name !== name);
    const master = await untilControlPlaneReady(context, clusterId, others, "any");
    await leaveCluster({
        spec,
        caCertHash: identity.caCertHash,
        node: machine,
        controlPlane: master,
        report,
        signal,
    });
    for (const { id } of planOf(inputs, "join")) await named(name, () => forgetStep(machine, id));
}

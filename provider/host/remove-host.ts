import type { Context } from "../contract/types";
import { away, awayOrReplaced, connectTo, forgetMachine, hurried } from "../machine/machine";
import { isGone } from "../machine/server";
import { bearIfGivenUp, machineToUndo } from "../machine/undo";
import { isHeldElsewhere } from "../member/held-elsewhere";
import { leaveCluster } from "../member/leave/leave";
import { forgetNode, forgetStep, plan } from "../steps";
import type { HostState } from "./host-state";
import { specOf } from "./host-state";
import { hostSteps } from "./host-steps";
import { leaveWithHost, noteHostDeletion, wholeClusterGoes } from "./leave-with-host";
import { resetHost } from "./reset-host";

/** Undoes what was done on the machine, and takes its node out of the cluster if no Node did. */
export async function removeHost(state: HostState, context: Context): Promise<void> {
    if (isHeldElsewhere("Host", state, context)) return;
    const { clusterId, name, address, role, caCertHash } = state.spec;
    noteHostDeletion(state.spec, context);
    const gone = await isGone(context, state);
    const goesWithServer = state.server !== undefined && !gone;
    if (goesWithServer && wholeClusterGoes(state.spec, context)) return;
    const connection = connectTo(context, gone ? hurried(state.connection) : state.connection, state, state);
    // A cloud server that does not answer is deleted with its own resource.
    const bears = gone ? awayOrReplaced : state.server === undefined ? undefined : away;
    const asked = { clusterId, name, address, caCertHash, connection, bears, gone };
    const { found, isNoted, memberOf, memberSince } = await machineToUndo(asked, context);
    const hasLeft = await leaveWithHost(state, { found, own: connection, gone }, context);
    if (found !== "ours") {
        if (isNoted) await forgetNode(connection);
        if (gone) await forgetMachine(context, state.connection);
        return;
    }
    if (goesWithServer) return;
    const { report, warn, signal } = context;
    // Another run may join it between this look and the reset.
    const left = hasLeft || memberOf !== clusterId;
    const member = { clusterId, name, address, role, drain: { timeoutSeconds: 0, policy: "fail" } };
    try {
        // Here only the reset: the node has left, or the whole cluster goes.
        await leaveCluster({ spec: member, caCertHash, node: connection, hasLeft: left, memberSince, report, signal });
        const spec = specOf(state.spec);
        await forgetStep(connection, plan(hostSteps, spec, undefined)[0].id);
        await resetHost({ spec, connection, report, warn, signal });
        await forgetNode(connection);
    } catch (error) {
        bearIfGivenUp({ clusterId, name, connection }, context)(error);
    }
}

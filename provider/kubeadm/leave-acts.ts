import type { NodeSpec } from "../model";
import { errorsFor } from "../shell/exit-codes";
import type { Act } from "../steps/types";
import { deleteNodeScript, drainScript, noteLeavingScript, removeMemberScript, resetNodeScript } from "./leave-scripts";

/*
 * What is done when a node leaves its cluster, each thing as an act: it is done at each attempt, because what was true at an
 * earlier one (the node is drained) may no longer be.
 */

/** `gone`: kubelet need not confirm the end of a pod if it no longer reports. */
export const drainNode = (name: string, { timeoutSeconds, policy }: NodeSpec["drain"], gone: boolean): Act => ({
    id: "node.drain",
    title: "drain",
    target: "controlPlane",
    run: drainScript,
    env: { NAME: name, SECONDS_TO_WAIT: String(timeoutSeconds), POLICY: policy, GONE: gone ? "yes" : "" },
    timeoutSeconds: (gone ? 3 : 2) * timeoutSeconds + 60,
    errors: errorsFor("DRAIN_FAILED"),
    disruptive: "pods of the node end",
    stoppable: true,
});

export const noteLeaving: Act = {
    id: "node.leave",
    title: "note that it leaves",
    target: "self",
    run: noteLeavingScript,
    timeoutSeconds: 60,
};

/** `member`: its id in etcd. */
export const leaveEtcd = (member: string): Act => ({
    id: "node.leave-etcd",
    title: "leave etcd",
    target: "controlPlane",
    run: removeMemberScript,
    env: { MEMBER: member },
    timeoutSeconds: 60,
});

/** The id of the node object, as drainNode prints it; "": there was none. */
export const uidIn = (said: string) => /^uid (\S+)$/m.exec(said)?.[1] ?? "";

/** `uid`: of the object that was drained. Another one stays. */
export const deleteNodeObject = (name: string, uid: string): Act => ({
    id: "node.delete-object",
    title: "delete the node object",
    target: "controlPlane",
    run: deleteNodeScript,
    env: { NAME: name, NODE_UID: uid },
    timeoutSeconds: 60,
});

/**
 * `left`: it has noted that it leaves, and is not reset if it is a member again. `memberSince`: the join that this run has seen; after
 * another one it is not reset.
 */
export const resetNode = (left = false, memberSince = ""): Act => ({
    id: "node.reset",
    title: "reset the node",
    target: "self",
    run: resetNodeScript,
    env: { LEFT: left ? "yes" : "", MEMBER_SINCE: memberSince },
    timeoutSeconds: 300,
    errors: errorsFor("NODE_BUSY"),
    disruptive: "Kubernetes leaves the machine",
});

/** Lines of a reset that name what stays: files of others, and files of ours that somebody changed. */
export const whatStays = (said: string) => said.split("\n").filter(line => line.startsWith("stays: "));

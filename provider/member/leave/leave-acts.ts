import type { NodeSpec } from "../../common/model";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";
import {
    deleteNodeScript,
    drainScript,
    noteLeavingScript,
    removeMemberScript,
    resetNodeScript,
    startServicesScript,
    uncordonScript,
} from "./leave-scripts";

/*
 * What is done when a node leaves its cluster, each thing as an act: it is done at each attempt, because what was true at an
 * earlier one (the node is drained) may no longer be.
 */

/** How long a container runtime and a kubelet may take until they serve. */
const serviceSeconds = 30;

export const startServices: Act = {
    id: "node.start-services",
    title: "start kubelet and the container runtime",
    target: "self",
    run: startServicesScript,
    env: { SECONDS_TO_WAIT: String(serviceSeconds) },
    timeoutSeconds: 4 * serviceSeconds,
};

/** Whether kubelet runs, as startServices prints it. */
export const runsKubelet = (said: string) => /^kubelet runs$/m.test(said);

/**
 * What is known of a node's kubelet. "gone": the machine is, or will be; kubelet need not confirm the end of a pod if it no longer reports. "stopped": the
 * machine says that it does not run. "silent": the machine does not answer, and may be alive.
 */
export type KubeletKnown = "gone" | "stopped" | "silent" | undefined;

const goneWords = { gone: "yes", stopped: "stopped", silent: "silent" };

export const drainNode = (name: string, { timeoutSeconds, policy }: NodeSpec["drain"], known?: KubeletKnown): Act => ({
    id: "node.drain",
    title: "drain",
    target: "controlPlane",
    run: drainScript,
    env: { NAME: name, SECONDS_TO_WAIT: String(timeoutSeconds), POLICY: policy, GONE: known ? goneWords[known] : "" },
    timeoutSeconds: (known ? 3 : 2) * timeoutSeconds + 60,
    errors: errorsFor("DRAIN_FAILED"),
    disruptive: "pods of the node end",
    stoppable: true,
});

export const uncordonNode = (name: string): Act => ({
    id: "node.uncordon",
    title: "let the node get pods again",
    target: "controlPlane",
    run: uncordonScript,
    env: { NAME: name },
    timeoutSeconds: 90,
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

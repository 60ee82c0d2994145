import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import { hasMember } from "../../kubeadm/etcd-members";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { lookAtMembers } from "../../kubeadm/look";
import type { Connection } from "../../ssh/types";
import { runAct } from "../../steps";
import type { Act, ProgressListener } from "../../steps/types";
import { resetNode } from "../leave/leave-acts";

/**
 * On a control-plane node whose node object is gone: restarts kubelet, which registers the node again with its existing
 * certificate. The new node object may get another pod subnet, and the bridge of the former one would be in the way, so
 * it is deleted.
 */
const registerScript = kubeadmScript("member/join/register-node.sh");

const register = (name: string): Act => ({
    id: "node.register",
    title: "register the node again",
    target: "self",
    run: registerScript,
    env: { NAME: name },
    timeoutSeconds: 300,
    disruptive: "kubelet restarts",
});

export interface Forgotten {
    spec: Pick<NodeSpec, "clusterId" | "name" | "role" | "address">;
    node: Connection;
    /** A control-plane node whose API server is ready. */
    master: Connection;
    /** MachineStatus.memberSince, from before the cluster was asked. */
    memberSince: string | undefined;
    /** The cluster has no other control-plane node: resetting this one would destroy the cluster. */
    onlyMaster: boolean;
    report: ProgressListener;
    signal?: AbortSignal;
}

/**
 * Prepares a machine for the steps if its cluster no longer lists it. A worker has no data: it is reset and joins
 * again. A control-plane node that was removed while it was off is reset too: etcd's other members have removed it, so
 * its data is outdated. A control-plane node that etcd still lists keeps its data, and is registered again.
 */
export async function bringBack({
    spec,
    node,
    master,
    memberSince,
    onlyMaster,
    report,
    signal,
}: Forgotten): Promise<"reset" | "registered"> {
    const { clusterId, name, role, address } = spec;
    report(`the cluster does not know ${name}: bring it back`);
    const act = (what: Act) => runAct(what, { node: name, clusterId, connection: node, report, signal });
    const isMember = async () => {
        const members = await lookAtMembers(master, name, { signal });
        // An etcd without members cannot exist, so such an answer must not lead to a reset.
        if (members.length > 0) return hasMember(members, { name, address });
        const step = "look at etcd's members";
        throw new NfvError({ code: "STEP_FAILED", node: name, step, cause: "etcd named no member" });
    };
    if (role === "worker" || (!onlyMaster && !(await isMember()))) {
        await act(resetNode(false, memberSince));
        return "reset";
    }
    try {
        await act(register(name));
        return "registered";
    } catch (error) {
        if (!(error instanceof NfvError) || error.code !== "STEP_FAILED") throw error;
        const { code, step, reason: cause, output } = error;
        const hint =
            `See journalctl -u kubelet on ${name}` +
            (onlyMaster
                ? ", correct the cause and run pulumi up again. It is the only master, so do not replace it: etcd with all data is on it."
                : "; or, while another master lives, let it leave and join again: pulumi up --replace <urn of its Node>.");
        throw new NfvError({ code, node: name, step, cause, hint, output });
    }
}

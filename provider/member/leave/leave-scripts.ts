import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { routeMetric } from "../../network/podnet";
import { cordonedAnnotation } from "../set-labels";

const cordon = {
    CORDONED_ANNOTATION: cordonedAnnotation,
    CORDONED_ANNOTATION_ESCAPED: cordonedAnnotation.replace(".", "\\."),
};

/**
 * Cordons and drains $NAME. PodDisruptionBudgets are respected until the timeout; then $POLICY decides: fail, evict
 * (wait as long again) or delete. If draining fails, the operation stops and the node stays a member, so its cordon is
 * removed unless it was someone else's. The cordon is marked as ours before it is set: if the run is interrupted and
 * the node is wanted again, `setLabels` uncordons it.
 *
 * kubectl waits until kubelet confirms that a pod has ended. If the machine is $GONE and its kubelet no longer reports
 * (Ready is Unknown), or the machine says that its kubelet does not run ($GONE is "stopped"), no confirmation will come, so kubectl waits only for evictions
 * that are refused.
 */
export const drainScript = kubeadmScript("member/leave/drain.sh", cordon);

/** Takes the cordon of a drain back where the node does not leave after all. */
export const uncordonScript = kubeadmScript("member/leave/uncordon.sh", cordon);

/** On the machine itself: the mildest cure first, so that the drain finds a kubelet that ends pods. */
export const startServicesScript = kubeadmScript("member/leave/start-services.sh");

/** Removes the member with the id $MEMBER. A member that etcd no longer lists was removed by an earlier attempt. */
export const removeMemberScript = kubeadmScript("member/leave/remove-etcd-member.sh");

/**
 * Runs on the machine before the first irreversible change. From then on the machine does not count as a member, but as
 * one that an earlier attempt left incomplete. If the leave stops after this and is no longer wanted, the next join
 * resets the machine first.
 */
export const noteLeavingScript = kubeadmScript("member/leave/note-leaving.sh");

export const deleteNodeScript = kubeadmScript("member/leave/delete-node-object.sh");

/**
 * Removes Kubernetes from a machine: kubeadm's reset without its etcd part (which is done or unnecessary), then what it
 * leaves: network interfaces, rules of kube-proxy and the pod network, files. kubelet stays installed, and files of
 * others below /etc/kubernetes stay. /var/lib/etcd is emptied only if kubeadm made an etcd there for us: etcd's
 * packages keep the data of a user's own etcd below it. A machine that has $LEFT and is a member again is not reset.
 */
export const resetNodeScript = kubeadmScript("member/leave/reset-node.sh", { ROUTE_METRIC: routeMetric });

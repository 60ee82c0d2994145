import { errorsFor } from "../shell/exit-codes";
import type { Act } from "../steps/types";
import { kubeadmScript } from "./kubeadm-script";

/** What a Node that a refresh has found with it still has to do. */
export const etcdSpaceTodo = "compact and defragment etcd: its file is full, or nearly";

/** Of this member alone. The callers see to it that two members never do it at once. */
export const freeEtcdSpace: Act = {
    id: "etcd.free-space",
    title: "compact and defragment etcd",
    target: "self",
    run: kubeadmScript("kubeadm/free-etcd-space.sh"),
    timeoutSeconds: 1800,
    errors: errorsFor("QUORUM_AT_RISK"),
    disruptive: "its etcd does not answer for some seconds",
};

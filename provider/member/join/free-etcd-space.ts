import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";

/** Of this member alone. The callers see to it that two members never do it at once. */
export const freeEtcdSpace: Act = {
    id: "etcd.free-space",
    title: "compact and defragment etcd",
    target: "self",
    run: kubeadmScript("member/join/free-etcd-space.sh"),
    timeoutSeconds: 1800,
    errors: errorsFor("QUORUM_AT_RISK"),
    disruptive: "its etcd does not answer for some seconds",
};

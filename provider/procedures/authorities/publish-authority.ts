import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";

/** On one control-plane node, when all nodes trust the new authorities alone. */
export const publishAuthority: Act = {
    id: "cluster.publish-authority",
    title: "make the new authority known to pods and to machines that join",
    target: "self",
    run: kubeadmScript("procedures/authorities/publish-authority.sh"),
    timeoutSeconds: 300,
    errors: errorsFor("ROTATION_FAILED"),
};

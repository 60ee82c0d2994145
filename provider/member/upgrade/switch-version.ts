import type { NodeSpec } from "../../common/model";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import { programFolder } from "../../shell/folders";
import { step } from "../../steps/step";

/**
 * Makes the node use the staged version, by links in /usr/local/bin. If Kubernetes came with the image or by packages,
 * it only verifies the version.
 */
export const switchVersion = step<NodeSpec>({
    id: "node.kubernetes-version",
    title: "switch to the Kubernetes version",
})(spec => ({
    revision: 1,
    env: { VERSION: spec.kubernetesVersion },
    run: kubeadmScript("member/upgrade/switch-version.sh", { PROGRAM_FOLDER: programFolder }),
    observe: { script: kubeadmScript("node/kubernetes/observe-versions.sh", { PROGRAM_FOLDER: programFolder }) },
    errors: errorsFor("VERSION_MISMATCH"),
    timeoutSeconds: 60,
}));

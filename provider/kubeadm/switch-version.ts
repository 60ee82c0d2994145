import type { NodeSpec } from "../model";
import { errorsFor } from "../shell/exit-codes";
import { programFolder } from "../shell/folders";
import type { StepFactory } from "../steps/types";
import { kubeadmScript } from "./kubeadm-script";

export const switchTitle = "switch to the Kubernetes version";

/**
 * Makes the node use the staged version, by links in /usr/local/bin. If Kubernetes came with the image or by packages,
 * it only verifies the version.
 */
export const switchVersion: StepFactory<NodeSpec> = spec => ({
    id: "node.kubernetes-version",
    title: switchTitle,
    revision: 1,
    env: { VERSION: spec.kubernetesVersion },
    run: kubeadmScript("kubeadm/switch-version.sh", { PROGRAM_FOLDER: programFolder }),
    observe: { script: kubeadmScript("node/observe-versions.sh", { PROGRAM_FOLDER: programFolder }) },
    errors: errorsFor("VERSION_MISMATCH"),
    timeoutSeconds: 60,
});

import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";

/** On one control-plane node, for the whole cluster, when all API servers encrypt with the new key. */
export const rewriteSecrets = (keyName: string): Act => ({
    id: "cluster.rewrite-secrets",
    title: "encrypt all Secrets with the new key",
    target: "self",
    run: kubeadmScript("procedures/encryption-key/rewrite-secrets.sh"),
    env: { KEY_NAME: keyName },
    timeoutSeconds: 7200,
    stoppable: true,
    errors: errorsFor("ROTATION_FAILED"),
});

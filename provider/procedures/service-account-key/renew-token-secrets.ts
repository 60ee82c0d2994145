import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";

/** On one control-plane node, for the whole cluster, when all sign with the new key. */
export const renewTokenSecrets = (keyName: string): Act => ({
    id: "cluster.renew-token-secrets",
    title: "give Secrets with tokens one of the new key",
    target: "self",
    run: kubeadmScript("procedures/service-account-key/renew-token-secrets.sh"),
    env: { KEY_NAME: keyName },
    timeoutSeconds: 3600,
    stoppable: true,
    errors: errorsFor("ROTATION_FAILED"),
});

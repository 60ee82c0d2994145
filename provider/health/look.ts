import { kubeletConfig, kubernetesFolder, pkiFolder } from "../kubeadm/paths";
import { script } from "../shell/script-file";
import type { Connection } from "../ssh/types";
import { query } from "../steps/query";
import { type HealthFacts, parseHealth } from "./facts";

/** The command that prints how a machine is; fake nodes in tests recognise it. */
export const healthArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-health"];

export const healthScript = script("health/health.sh", {
    KUBELET_CONFIG: kubeletConfig,
    KUBERNETES_FOLDER: kubernetesFolder,
    PKI_FOLDER: pkiFolder,
});

/** The script itself ends within ten seconds; a machine under load may be slower. */
const timeoutSeconds = 20;

/** Looks how a machine is, in one round trip. @throws STEP_FAILED, CONNECT_FAILED and similar codes */
export async function lookAtHealth(connection: Connection): Promise<HealthFacts> {
    const step = "look how the machine is";
    return parseHealth(await query(connection, { step, script: healthScript, argv: healthArgv, timeoutSeconds }));
}

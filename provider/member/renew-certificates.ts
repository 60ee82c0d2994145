import type { NodeSpec } from "../common/model";
import { renewBeforeDays } from "../kubeadm/certificate-ends";
import { kubeadmScript } from "../kubeadm/kubeadm-script";
import { errorsFor } from "../shell/exit-codes";
import { step } from "../steps/step";
import type { Act } from "../steps/types";

/** Runs on a ready control-plane node: a worker's kubelet whose certificate has ended asks for another one as at its join. */
const prepareCertificate: Act = {
    id: "node.prepare-certificate",
    title: "prepare a certificate",
    target: "controlPlane",
    run: kubeadmScript("member/prepare-certificate.sh"),
    timeoutSeconds: 120,
    answers: true,
};

/**
 * Renews a node's certificates if one of them is due, and restarts what uses them. When they are due depends on the day, so a Node
 * forgets this step then (node-certificates.ts), and the probe decides on the machine. Right after the join nothing is due.
 */
export const renewCertificates = step<NodeSpec>({
    id: "node.certificates",
    title: "renew certificates",
    api: "restarts",
    notCompared: "their ends are seen by the look how the machine is",
    disruptive:
        "only where one is due, kubelet restarts, and on a control-plane node its static pods one after another; other pods go on",
})(spec => {
    const { clusterId, name, role, address } = spec;
    const env = { ADDRESS: address, RENEW_BEFORE: String(renewBeforeDays(spec) * 86_400), ROLE: role };
    const common = {
        revision: 1,
        declaredState: { cluster: clusterId, name, role },
        env,
        probe: kubeadmScript("member/certificates-hold.sh"),
        observe: { script: kubeadmScript("member/observe-node-certificates.sh") },
        timeoutSeconds: 1500,
    };
    if (role === "worker") {
        return {
            ...common,
            preparation: { ...prepareCertificate, env: { NAME: name } },
            run: kubeadmScript("member/renew-worker-certificates.sh"),
        };
    }
    return {
        ...common,
        env: { ...env, NAME: name },
        run: kubeadmScript("member/renew-certificates.sh"),
        errors: errorsFor("QUORUM_AT_RISK"),
    };
});

export const certificatesStep = renewCertificates.row.id;

import type { NodeSpec } from "../model";
import { sh, usualPath } from "../node/script";
import type { StepFactory } from "../steps/types";
import { appliedMarks } from "./kubeadm-files";
import { adminConfig, appliedFolder, clusterConfigFile, patchesFolder, pkiFolder } from "./paths";

const asApplied = (mark: string) => sh`
    [ "$(cat ${appliedFolder}/${mark} 2>/dev/null)" = "$MARK" ]
`;

/** Shell: waits until this machine's own API server says that it is ready. */
export const waitForOwnApiServer = sh`
    end=$(($(date +%s) + 240))
    until kubectl --kubeconfig ${adminConfig} --server "https://$ADDRESS:6443" --request-timeout=3s get --raw /readyz >/dev/null 2>&1; do
        if [ "$(date +%s)" -ge "$end" ]; then
            echo "the API server of this machine is not ready:" >&2
            kubectl --kubeconfig ${adminConfig} --server "https://$ADDRESS:6443" --request-timeout=3s get --raw '/readyz?verbose' >&2 || true
            exit 1
        fi
        sleep 0.5
    done
`;

/** The API server of this master answers: the next master may join. */
export const waitForApiServer: StepFactory<NodeSpec> = spec => {
    if (spec.role !== "controlPlane") return undefined;
    return {
        id: "node.api-server-ready",
        title: "wait for the API server",
        env: { ADDRESS: spec.address },
        run: `${usualPath}\n${waitForOwnApiServer}`,
        timeoutSeconds: 300,
        detached: true,
    };
};

/**
 * Later changes of flags, certificate names and patches: kubeadm writes manifests and certificate anew, kubelet starts what differs.
 * etcd's manifest stays as it is: written anew, it would not know the other members.
 */
export const applyControlPlaneChanges: StepFactory<NodeSpec> = spec => {
    if (spec.role !== "controlPlane") return undefined;
    return {
        id: "node.control-plane-settings",
        title: "apply control-plane settings",
        env: { MARK: appliedMarks(spec).cluster, ADDRESS: spec.address },
        probe: asApplied("cluster"),
        run: sh`
            ${usualPath}
            kubeadm init phase upload-config kubeadm --config ${clusterConfigFile}
            kubeadm init phase upload-config kubelet --config ${clusterConfigFile}
            rm -f ${pkiFolder}/apiserver.crt ${pkiFolder}/apiserver.key
            kubeadm init phase certs apiserver --config ${clusterConfigFile}
            kubeadm init phase control-plane all --config ${clusterConfigFile}
            kubeadm init phase addon kube-proxy --config ${clusterConfigFile}
            # the certificate is read anew by itself; give kubelet the time to see changed manifests
            sleep 3
            ${waitForOwnApiServer.trimEnd().replace(/\n/g, "\n            ")}
            mkdir -p ${appliedFolder}
            printf '%s\\n' "$MARK" > ${appliedFolder}/cluster
        `,
        detached: true,
        timeoutSeconds: 600,
    };
};

/** Later changes of kubelet's settings: the cluster's from its ConfigMap, then this node's patches over them. */
export const applyKubeletChanges: StepFactory<NodeSpec> = spec => ({
    id: "node.kubelet-settings",
    title: "apply kubelet settings",
    env: { MARK: appliedMarks(spec).kubelet },
    probe: asApplied("kubelet"),
    run: sh`
        ${usualPath}
        before=$(sha256sum < /var/lib/kubelet/config.yaml)
        kubeadm upgrade node phase kubelet-config --patches ${patchesFolder}
        if [ "$before" != "$(sha256sum < /var/lib/kubelet/config.yaml)" ]; then
            systemctl restart kubelet.service
            sleep 2
            systemctl -q is-active kubelet.service
        fi
        mkdir -p ${appliedFolder}
        printf '%s\\n' "$MARK" > ${appliedFolder}/kubelet
    `,
    detached: true,
    timeoutSeconds: 120,
});

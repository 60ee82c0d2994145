import type { NodeSpec } from "../model";
import { errorsFor, exitCodes } from "../shell/exit-codes";
import { asAdministrator } from "../shell/kubectl";
import { sh, usualPath } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { waitForOwnApiServer } from "./api-ready";
import { etcdctl } from "./etcdctl";
import { certificateSans } from "./kubeadm-config";
import { appliedMarks, kubeletFlags } from "./kubeadm-files";
import { otherProcess } from "./other-process";
import { appliedFolder, kubeletFlagsFile, kubernetesFolder, patchesFolder } from "./paths";
import { configInUse, renewCertificate } from "./renew-certificate";

/** Where kubeadm writes kubelet's flags at the join. */
const kubeadmFlagsFile = "/var/lib/kubelet/kubeadm-flags.env";

const asApplied = (mark: string) => sh`
    [ "$(cat ${appliedFolder}/${mark} 2>/dev/null)" = "$MARK" ]
`;

/** Waits until the API server of this control-plane node answers; then the next one may join. */
export const waitForApiServer: StepFactory<NodeSpec> = spec => {
    if (spec.role !== "controlPlane") return undefined;
    return {
        id: "node.api-server-ready",
        title: "wait for the API server",
        revision: 1,
        env: { ADDRESS: spec.address },
        run: `${usualPath}\n${waitForOwnApiServer}`,
        timeoutSeconds: 300,
    };
};

const etcdManifest = `${kubernetesFolder}/manifests/etcd.yaml`;
const apiServerManifest = `${kubernetesFolder}/manifests/kube-apiserver.yaml`;

/**
 * Shell: rewrites etcd's manifest if its settings changed, and waits until etcd runs with it. The manifest names this
 * member only, like after kubeadm's own upgrades: etcd's data has the other members. If etcd does not start with the
 * new settings, the former ones are restored.
 */
const applyEtcdChanges =
    etcdctl +
    sh`
        apply_etcd() {
            [ "$(cat ${appliedFolder}/etcd 2>/dev/null)" != "$MARK_ETCD" ] || return 0
            if ! e endpoint health --cluster >/dev/null 2>&1; then
                echo "etcd is not healthy on all masters: starting it anew here could cost its quorum" >&2
                exit ${exitCodes.QUORUM_AT_RISK}
            fi
            saved=$(mktemp)
            cat ${etcdManifest} > "$saved"
            process=$(pgrep -o -x etcd || true)
            kubeadm init phase etcd local --config "$config"
            if ! cmp -s "$saved" ${etcdManifest}; then
                echo "etcd starts anew with other settings"
                other_process etcd "$process"
                sleep 2
                if ! (wait_for_own_api_server); then
                    cat "$saved" > ${etcdManifest}
                    echo "etcd does not work with its new settings (controlPlane.extraArgs.etcd, patches): the former ones are back" >&2
                    exit 1
                fi
            fi
            rm -f "$saved"
            printf '%s\\n' "$MARK_ETCD" > ${appliedFolder}/etcd
        }
    `;

/**
 * Shell: updates kube-proxy's settings and, if they changed, restarts its pods, which read them only at the start. Its
 * rules stay in place meanwhile. The pods are deleted: kubeadm's next run would remove a restart annotation from the
 * template and so restart them once more. Wants $config.
 */
export const applyKubeProxyChanges = sh`
    proxy_settings() { kubectl -n kube-system get configmap kube-proxy -o 'jsonpath={.data}' | sha256sum; }
    apply_kube_proxy() {
        before=$(proxy_settings)
        kubeadm init phase addon kube-proxy --config "$config"
        [ "$before" != "$(proxy_settings)" ] || return 0
        kubectl -n kube-system delete pod -l k8s-app=kube-proxy --wait=false
        sleep 1
        kubectl -n kube-system rollout status daemonset kube-proxy --timeout=120s
    }
`;

const applyScript =
    asAdministrator +
    `wait_for_own_api_server() {\n${waitForOwnApiServer}}\n` +
    otherProcess +
    applyEtcdChanges +
    applyKubeProxyChanges +
    configInUse +
    renewCertificate +
    sh`
        mkdir -p ${appliedFolder}
        # from here on it is neither the former nor the new state
        rm -f ${appliedFolder}/cluster
        config=$(config_in_use)
        kubeadm init phase upload-config kubeadm --config "$config"
        kubeadm init phase upload-config kubelet --config "$config"
        apply_kube_proxy
        apply_etcd
        renew_api_server_certificate "$config"
        server=$(cat ${apiServerManifest} | sha256sum)
        process=$(pgrep -o -x kube-apiserver || true)
        kubeadm init phase control-plane all --config "$config"
        case $config in /run/*) rm -rf "\${config%/*}" ;; esac
        # give kubelet the time to see changed manifests
        sleep 3
        changed=
        [ "$server" = "$(cat ${apiServerManifest} | sha256sum)" ] || changed=yes
        [ -z "$changed" ] || other_process kube-apiserver "$process"
        wait_for_own_api_server
        # the load balancers send requests here again before the next master's API server ends
        [ -z "$changed" ] || sleep 5
        printf '%s\\n' "$MARK" > ${appliedFolder}/cluster
    `;

/**
 * Applies later changes of flags, certificate names and patches: kubeadm rewrites manifests and the certificate, and
 * kubelet restarts what differs. The dependencies between resources make control-plane nodes go one after another.
 */
export const applyControlPlaneChanges: StepFactory<NodeSpec> = spec => {
    if (spec.role !== "controlPlane") return undefined;
    const marks = appliedMarks(spec);
    return {
        id: "node.control-plane-settings",
        title: "apply control-plane settings",
        revision: 1,
        disruptive:
            "those static pods of this machine restart whose settings differ, also etcd; kube-proxy's pods on all nodes if theirs do",
        env: {
            MARK: marks.cluster,
            MARK_ETCD: marks.etcd,
            ADDRESS: spec.address,
            // a wildcard name covers all names of its kind, so any of them is requested
            NAMES: certificateSans(spec)
                .map(name => name.replace("*", "any"))
                .join("\n"),
        },
        probe: asApplied("cluster"),
        run: applyScript,
        errors: errorsFor("QUORUM_AT_RISK"),
        timeoutSeconds: 900,
    };
};

/**
 * Applies later changes of kubelet's settings: the cluster's from its ConfigMap, then this node's patches, then the
 * flags in kubeadm's file. kubeadm's own flags there stay.
 */
export const applyKubeletChanges: StepFactory<NodeSpec> = spec => ({
    id: "node.kubelet-settings",
    title: "apply kubelet settings",
    revision: 1,
    disruptive: "kubelet restarts: pods go on",
    env: { MARK: appliedMarks(spec).kubelet, FLAGS: kubeletFlags(spec) },
    probe: asApplied("kubelet"),
    run: sh`
        ${usualPath}
        state() { cat /var/lib/kubelet/config.yaml ${kubeadmFlagsFile} | sha256sum; }
        before=$(state)
        kubeadm upgrade node phase kubelet-config --patches ${patchesFolder}
        current=$(sed -n 's/^KUBELET_KUBEADM_ARGS="\\(.*\\)"$/\\1/p' ${kubeadmFlagsFile})
        ours=$( (printf '%s\\n' "$FLAGS"; cat ${kubeletFlagsFile} 2>/dev/null || true) | sed 's/=.*//')
        wanted=
        set -f
        for flag in $current; do
            printf '%s\\n' "$ours" | grep -qxF -e "\${flag%%=*}" || wanted="$wanted $flag"
        done
        for flag in $FLAGS; do wanted="$wanted $flag"; done
        set +f
        printf 'KUBELET_KUBEADM_ARGS="%s"\\n' "\${wanted# }" > ${kubeadmFlagsFile}.new
        mv ${kubeadmFlagsFile}.new ${kubeadmFlagsFile}
        if [ "$before" != "$(state)" ]; then
            systemctl restart kubelet.service
            sleep 2
            if ! systemctl -q is-active kubelet.service; then
                echo "kubelet does not start with these settings:" >&2
                journalctl -u kubelet.service -n 10 --no-pager -o cat >&2 || true
                exit 1
            fi
        fi
        mkdir -p ${appliedFolder}
        printf '%s\\n' "$FLAGS" > ${kubeletFlagsFile}
        printf '%s\\n' "$MARK" > ${appliedFolder}/kubelet
    `,
    timeoutSeconds: 120,
});

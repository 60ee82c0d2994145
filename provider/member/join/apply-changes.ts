import type { NodeSpec } from "../../common/model";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { appliedFolder } from "../../kubeadm/paths";
import { errorsFor } from "../../shell/exit-codes";
import { sh } from "../../shell/script";
import { step } from "../../steps/step";
import { certificateSans } from "./kubeadm-config";
import { appliedMarks, kubeletFlags } from "./kubeadm-files";
import { controlPlaneManifests, kubeletFiles, leavesFiles } from "./left-files";

/** Waits until the API server of this control-plane node answers; then the next one may join. */
export const waitForApiServer = step<NodeSpec>({
    id: "node.api-server-ready",
    title: "wait for the API server",
    only: "controlPlane",
    notCompared: "whether it answers is seen by the look how the machine is",
})(spec => {
    if (spec.role !== "controlPlane") return undefined;
    return {
        revision: 1,
        env: { ADDRESS: spec.address },
        run: kubeadmScript("member/join/wait-for-api-server.sh"),
        observe: { script: kubeadmScript("member/join/observe-api-server.sh") },
        // a repair of kubelet waits twice, and a recovery, too
        timeoutSeconds: 1200,
    };
});

/**
 * Applies later changes of flags, certificate names and patches: kubeadm rewrites manifests and the certificate, and
 * kubelet restarts what differs. The dependencies between resources make control-plane nodes go one after another.
 */
export const applyControlPlaneChanges = step<NodeSpec>({
    id: "node.control-plane-settings",
    title: "apply control-plane settings",
    disruptive:
        "those static pods of this machine restart whose settings differ, also etcd; kube-proxy's pods on all nodes if theirs do",
    only: "controlPlane",
    api: "restarts",
})(spec => {
    if (spec.role !== "controlPlane") return undefined;
    const marks = appliedMarks(spec);
    return {
        revision: 1,
        env: {
            MARK: marks.cluster,
            MARK_ETCD: marks.etcd,
            ADDRESS: spec.address,
            // a wildcard name covers all names of its kind, so any of them is requested
            NAMES: certificateSans(spec)
                .map(name => name.replace("*", "any"))
                .join("\n"),
        },
        probe: sh`
            [ "$(cat ${appliedFolder}/cluster 2>/dev/null)" = "$MARK" ]
        `,
        run: kubeadmScript("member/join/apply-control-plane-settings.sh"),
        ...leavesFiles(controlPlaneManifests),
        errors: errorsFor("QUORUM_AT_RISK"),
        timeoutSeconds: 1500,
    };
});

/**
 * Applies later changes of kubelet's settings: the cluster's from its ConfigMap, then this node's patches, then the
 * flags in kubeadm's file. kubeadm's own flags there stay. Where they are applied and kubelet does not run, it only
 * starts kubelet: a refresh that finds that has this step done again.
 */
export const applyKubeletChanges = step<NodeSpec>({
    id: "node.kubelet-settings",
    title: "apply kubelet settings",
    disruptive: "kubelet restarts: pods go on",
})(spec => ({
    revision: 1,
    env: { MARK: appliedMarks(spec).kubelet, FLAGS: kubeletFlags(spec) },
    probe: sh`
        [ "$(cat ${appliedFolder}/kubelet 2>/dev/null)" = "$MARK" ] && systemctl -q is-active kubelet.service
    `,
    run: kubeadmScript("member/join/apply-kubelet-settings.sh"),
    ...leavesFiles(kubeletFiles),
    // after a repair it waits for the API, at most five minutes
    timeoutSeconds: 600,
}));

import type { HostSpec } from "../../common/model";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import type { StepFile } from "../../steps/types";

const unitFile = "/etc/systemd/system/kubelet.service";
const dropInFile = "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf";

/** kubelet's unit, as in the Kubernetes community's packages. */
function kubeletUnit(kubelet: string): string {
    return `[Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target containerd.service

[Service]
ExecStart=${kubelet}
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`;
}

/** kubeadm's drop-in, with the paths where kubeadm writes kubelet's configuration. */
function kubeletDropIn(kubelet: string): string {
    return `[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=${kubelet} $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`;
}

/** kubelet's unit and kubeadm's drop-in, as we would write them on this host. */
export function kubeletFiles({ source }: HostSpec): StepFile[] {
    const kubelet = source.bundle ? "/usr/local/bin/kubelet" : "/usr/bin/kubelet";
    return [
        { path: unitFile, content: kubeletUnit(kubelet) },
        { path: dropInFile, content: kubeletDropIn(kubelet) },
    ];
}

/** kubelet's service: our unit for a bundle, otherwise the one of the packages or the image. kubeadm starts it. */
export const installKubeletService = step<HostSpec>({
    id: "host.kubelet-service",
    title: "install kubelet's service",
})(spec => {
    const common = { revision: 1, timeoutSeconds: 30 };
    const observe = { script: script("node/kubernetes/observe-kubelet-service.sh") };
    if (spec.source.bundle) {
        return {
            ...common,
            files: kubeletFiles(spec),
            run: script("node/kubernetes/enable-kubelet.sh"),
            observe,
        };
    }
    const [unit, dropIn] = kubeletFiles(spec);
    return {
        ...common,
        env: { UNIT: unit.content, DROP_IN: dropIn.content },
        run: script("node/kubernetes/install-kubelet-service.sh", { UNIT_FILE: unitFile, DROP_IN_FILE: dropInFile }),
        observe,
    };
});

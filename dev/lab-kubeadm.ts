import { stringify } from "yaml";
import type { WorkloadKubeadmArgs } from "../components/args/workload-inputs";
import { labKubelet, labKubeProxy } from "../lab/node-settings";
import { configPlaceholders, containerdConfig } from "../provider/node/runtime/containerd-config";

/** Cluster API has no field for these: they are appended to kubeadm's file on the machine that begins the cluster. */
const labSettings = [
    {
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        cgroupDriver: "systemd",
        ...labKubelet,
    },
    {
        apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
        kind: "KubeProxyConfiguration",
        mode: "iptables",
        ...labKubeProxy,
    },
];
const extra = "/etc/nfv-kubeadm.yaml";

/** What kubeadm of a workload cluster's machines needs in a lab. */
export const labKubeadm = {
    files: {
        [extra]: labSettings.map(each => `---\n${stringify(each)}`).join(""),
        // Debian's containerd asks for an older sandbox image and for scores that the lab refuses.
        "/etc/containerd/config.toml": containerdConfig(1).replace(configPlaceholders.VERSION, "2"),
    },
    preCommands: [
        `sed -i "s|${configPlaceholders.IMAGE}|$(kubeadm config images list --kubernetes-version "$(kubeadm version -o short)" | grep /pause:)|" /etc/containerd/config.toml`,
        "systemctl restart containerd",
        `if grep -q "^kind: InitConfiguration" /run/kubeadm/kubeadm.yaml; then cat ${extra} >>/run/kubeadm/kubeadm.yaml; fi`,
    ],
} satisfies WorkloadKubeadmArgs;

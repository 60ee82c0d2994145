#!/bin/bash
# layer-kubernetes.sh ROOT BUNDLE: what the packages kubelet, kubeadm and kubectl give, at the places where they put it.
set -euo pipefail
root=$1 bundle=$2
mkdir -p "$root/opt/cni/bin" "$root/usr/lib/systemd/system/kubelet.service.d" "$root/etc/kubernetes/manifests"
install -m 755 "$bundle"/bin/{kubelet,kubeadm,kubectl} "$root/usr/bin/"
install -m 755 "$bundle"/bin/{etcdctl,etcdutl} "$root/usr/local/bin/"
install -m 755 "$bundle"/cni/* "$root/opt/cni/bin/"

cat >"$root/usr/lib/systemd/system/kubelet.service" <<'UNIT'
[Unit]
Description=kubelet: The Kubernetes Node Agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
UNIT
cat >"$root/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf" <<'UNIT'
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
UNIT
chroot "$root" systemctl -q enable kubelet.service containerd.service

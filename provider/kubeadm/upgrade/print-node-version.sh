#!/bin/sh
# print-node-version.sh: prints which version of Kubernetes this machine runs, and which upgrade is unfinished, as lines name=value.
# constants: KUBERNETES_FOLDER UPGRADE_FOLDER

. shell/lib/usual-path.sh

. kubeadm/upgrade/node-version.sh

echo "kubelet=$(running_kubelet)"
for component in kube-apiserver kube-controller-manager kube-scheduler; do
    version=$(image_version "$component")
    [ -z "$version" ] || echo "component=$version"
done
if [ -s "$UPGRADE_FOLDER"/move ]; then echo "unfinished=$(cat "$UPGRADE_FOLDER"/move)"; fi

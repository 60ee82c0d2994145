#!/bin/sh
# apply-kube-proxy-again.sh: has kubeadm make the objects of kube-proxy, and replaces its pods if their settings were changed, on a control-plane node.
# inputs: ADDON
# constants: CLUSTER_CONFIG_FILE
# shellcheck disable=SC2034 # apply-kube-proxy.sh reads $config

. shell/lib/as-administrator.sh
. cluster/lib/addon-manifest.sh
. member/lib/apply-kube-proxy.sh

config=$CLUSTER_CONFIG_FILE
# fails while the cluster changes
[ -n "$(addon_manifest "$ADDON")" ] || exit 0
apply_kube_proxy

#!/bin/sh
# observe-addon.sh: looks which objects of kubeadm's add-on are not as kubeadm makes them, on a control-plane node.
# inputs: ADDON ("kube-proxy", "coredns")

. shell/lib/as-administrator.sh
. cluster/lib/addon-manifest.sh

MANIFEST=$(addon_manifest "$ADDON")
. network/observe-manifest.sh

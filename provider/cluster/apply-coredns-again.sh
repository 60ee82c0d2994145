#!/bin/sh
# apply-coredns-again.sh: makes the Service and the rights of CoreDNS as kubeadm makes them, on a control-plane node. No pod restarts.
# inputs: ADDON

. shell/lib/as-administrator.sh
. cluster/lib/addon-manifest.sh

# fails while the cluster changes
manifest=$(addon_manifest "$ADDON")
[ -n "$manifest" ] || exit 0
printf '%s\n' "$manifest" | kubectl --request-timeout=20s apply --server-side --force-conflicts --field-manager=pulumi-nfv -f -

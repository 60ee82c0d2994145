#!/bin/sh
# observe-endpoint.sh: looks whether the cluster's configuration names the endpoint.
# inputs: PLACE

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

said=$(kubectl --request-timeout=5s -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}')
said=$(printf '%s\n' "$said" | sed -n "s/^controlPlaneEndpoint: *//p" | tr -d "\"'")
[ "$said" = "$PLACE" ] || differs "the cluster says that its endpoint is $said, not $PLACE"

#!/bin/sh
# endpoint-reached.sh: tests whether the cluster's configuration names the endpoint.
# inputs: PLACE

. shell/lib/as-administrator.sh

said=$(kubectl --request-timeout=20s -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}' |
    sed -n "s/^controlPlaneEndpoint: *//p" | tr -d "\"'")
[ "$said" = "$PLACE" ] || { echo "the cluster says that its endpoint is $said, $PLACE is wanted" >&2; exit 1; }

#!/bin/sh
# endpoint-reached.sh: tests whether the cluster's configuration names the endpoint. An API server may be restarting in this moment.
# inputs: PLACE

. shell/lib/as-administrator.sh

tries=0
until said=$(kubectl --request-timeout=10s -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}'); do
    tries=$((tries + 1))
    [ $tries -lt 10 ] || exit 1
    sleep 3
done
said=$(printf '%s\n' "$said" | sed -n "s/^controlPlaneEndpoint: *//p" | tr -d "\"'")
[ "$said" = "$PLACE" ] || { echo "the cluster says that its endpoint is $said, $PLACE is wanted" >&2; exit 1; }

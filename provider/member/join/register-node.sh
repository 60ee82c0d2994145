#!/bin/sh
# register-node.sh: registers a node again whose node object is gone.
# inputs: NAME
# constants: ADMIN_CONFIG CLUSTER_CONFIG_FILE
# shellcheck disable=SC2153 # an input

. shell/lib/usual-path.sh

. kubeadm/lib/cni-of-others.sh

systemctl stop kubelet.service
is_bridge_of_others cni0 || ip link delete cni0 2>/dev/null || true
systemctl start kubelet.service
export KUBECONFIG="$ADMIN_CONFIG"
tries=0
until kubectl --request-timeout=10s get node "$NAME" -o name >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { echo "kubelet did not register $NAME in a minute" >&2; exit 1; }
    sleep 1
done
kubeadm init phase mark-control-plane --config "$CLUSTER_CONFIG_FILE"

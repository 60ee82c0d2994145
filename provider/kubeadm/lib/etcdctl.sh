#!/bin/sh
# etcdctl.sh: e runs etcdctl in the etcd pod of this node, or of another one. Needs KUBECONFIG.
# The pod of a node that has just joined appears only after some seconds; until then, e uses another control-plane node's.

etcd_pod=
in_pod() {
    pod=$1
    shift
    kubectl --request-timeout=20s -n kube-system exec "$pod" -c etcd -- etcdctl --endpoints=https://127.0.0.1:2379 \
        --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt \
        --key=/etc/kubernetes/pki/etcd/server.key "$@"
}
find_etcd() {
    tries=0
    while [ $tries -lt 20 ]; do
        others=$(kubectl -n kube-system get pods -l component=etcd -o name 2>/dev/null | sed 's#^pod/##') || others=
        for candidate in "etcd-$(hostname)" $others; do
            if in_pod "$candidate" endpoint health >/dev/null 2>&1; then etcd_pod=$candidate; return 0; fi
        done
        tries=$((tries + 1))
        sleep 1
    done
    echo "no etcd of this cluster could be asked: none of its pods runs etcdctl" >&2
    return 1
}
e() {
    [ -n "$etcd_pod" ] || find_etcd || return 1
    in_pod "$etcd_pod" "$@"
}

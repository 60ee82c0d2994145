#!/bin/sh
# restart-kubelet-when-ready.sh: hurry_kubelet restarts kubelet once when this machine's own API server is ready.
# It runs beside `kubeadm join` of a control-plane node. kubelet asks this machine's own API server for its certificate and its
# node long before that server is ready, and then pauses up to seven seconds between attempts. kubelet is restarted only if its
# node does not exist yet; containers keep running.
# inputs: ADDRESS NAME

. kubeadm/lib/api-curl.sh

own_api() {
    api_curl -o /dev/null -w '%{http_code}' -m 5 "https://$ADDRESS:6443$1" || true
}
hurry_kubelet() {
    command -v curl >/dev/null || return 0
    tries=0
    until [ "$(own_api /readyz)" = 200 ]; do
        tries=$((tries + 1))
        [ $tries -lt 1500 ] || return 0
        sleep 0.2
    done
    [ "$(own_api "/api/v1/nodes/$NAME")" != 404 ] || systemctl restart kubelet.service
}

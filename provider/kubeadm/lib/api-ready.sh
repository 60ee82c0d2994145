#!/bin/sh
# api-ready.sh: api_ready tests whether the API server of this machine is ready.
# It is called often, so it uses curl. Without curl, or if curl's result is unclear, it uses kubectl.
# inputs: ADDRESS
# constants: ADMIN_CONFIG

. kubeadm/lib/api-curl.sh

api_ready() {
    code=0
    api_curl -f -o /dev/null -m 5 "https://$ADDRESS:6443/readyz" || code=$?
    case $code in
        0) return 0 ;;
        # no connection; an answer that is not yes; no answer in time
        7 | 22 | 28) return 1 ;;
    esac
    kubectl --kubeconfig "$ADMIN_CONFIG" --server "https://$ADDRESS:6443" --request-timeout=5s get --raw /readyz >/dev/null 2>&1
}

#!/bin/sh
# apply-kube-proxy.sh: apply_kube_proxy updates kube-proxy's settings and restarts its pods if they changed. Wants $config.
# Its pods read the settings only at the start. Its rules stay in place meanwhile. The pods are deleted: kubeadm's next run
# would remove a restart annotation from the template and so restart them once more.
# constants: APPLIED_FOLDER
# shellcheck disable=SC2154 # the caller sets $config

proxy_settings() { kubectl -n kube-system get configmap kube-proxy -o 'jsonpath={.data}' | sha256sum; }
apply_kube_proxy() {
    before=$(proxy_settings)
    kubeadm init phase addon kube-proxy --config "$config"
    # a former run may have ended while the pods did not come back
    if [ "$before" = "$(proxy_settings)" ] && [ ! -e "$APPLIED_FOLDER"/kube-proxy-restarts ]; then return 0; fi
    : > "$APPLIED_FOLDER"/kube-proxy-restarts
    kubectl -n kube-system delete pod -l k8s-app=kube-proxy --wait=false
    sleep 1
    kubectl -n kube-system rollout status daemonset kube-proxy --timeout=120s
    rm -f "$APPLIED_FOLDER"/kube-proxy-restarts
}

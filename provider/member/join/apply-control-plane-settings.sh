#!/bin/sh
# apply-control-plane-settings.sh: applies later changes of flags, certificate names and patches.
# inputs: MARK
# constants: APPLIED_FOLDER

. shell/lib/as-administrator.sh

. member/lib/own-api-server.sh

. member/join/lib/audit-policy.sh

. member/lib/former-kubelet.sh

. member/lib/static-pods.sh

. member/join/lib/apply-etcd.sh

. member/lib/apply-kube-proxy.sh

. member/lib/config-in-use.sh

. member/join/lib/renew-certificate.sh

mkdir -p "$APPLIED_FOLDER"
# from here on it is neither the former nor the new state
rm -f "$APPLIED_FOLDER"/cluster
repair_kubelet_of_master
recover_api_server
# all else goes through this machine's API server, which may have settings that it does not bear
if [ ! -s "$FORMERS_FILE" ] && ! api_ready; then
    config=$CLUSTER_CONFIG_FILE
    apply_static_pods
fi
wait_for_own_api_server
recover_controllers
config=$(config_in_use)
kubeadm init phase upload-config kubelet --config "$config"
apply_etcd
renew_api_server_certificate "$config"
apply_static_pods
wait_for_own_api_server
# an outdated one must not come back
if api_server_audits; then keep_policy; else rm -f "$proven"; fi
# after the controller manager, which makes its new pods
apply_kube_proxy
# nodes that join take these settings, so they are proven before
kubeadm init phase upload-config kubeadm --config "$config"
case $config in /run/*) rm -rf "${config%/*}" ;; esac
printf '%s\n' "$MARK" > "$APPLIED_FOLDER"/cluster

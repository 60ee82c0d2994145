#!/bin/sh
# apply-control-plane-settings.sh: applies later changes of flags, certificate names and patches.
# inputs: MARK
# constants: API_SERVER_MANIFEST APPLIED_FOLDER

. shell/lib/as-administrator.sh

. kubeadm/lib/own-api-server.sh

. kubeadm/lib/other-process.sh

. kubeadm/lib/apply-etcd.sh

. kubeadm/lib/apply-kube-proxy.sh

. kubeadm/lib/config-in-use.sh

. kubeadm/lib/renew-certificate.sh

mkdir -p "$APPLIED_FOLDER"
# from here on it is neither the former nor the new state
rm -f "$APPLIED_FOLDER"/cluster
config=$(config_in_use)
kubeadm init phase upload-config kubeadm --config "$config"
kubeadm init phase upload-config kubelet --config "$config"
apply_kube_proxy
apply_etcd
renew_api_server_certificate "$config"
# a manifest that somebody moved aside is written again
server=$(sha256sum < "$API_SERVER_MANIFEST" || true)
process=$(pgrep -o -x kube-apiserver || true)
kubeadm init phase control-plane all --config "$config"
case $config in /run/*) rm -rf "${config%/*}" ;; esac
# give kubelet the time to see changed manifests
sleep 3
changed=
[ "$server" = "$(sha256sum < "$API_SERVER_MANIFEST")" ] || changed=yes
[ -z "$changed" ] || other_process kube-apiserver "$process"
wait_for_own_api_server
# the load balancers send requests here again before the next master's API server ends
[ -z "$changed" ] || sleep 5
printf '%s\n' "$MARK" > "$APPLIED_FOLDER"/cluster

#!/bin/sh
# start-restored.sh: etcd and what uses it start with the restored data. They wait for the other control-plane nodes, which start at the same time.
# inputs: SNAPSHOT UPLOADS (yes: this node tells the cluster which version it has) WORD
# constants: ADMIN_CONFIG CLUSTER_CONFIG_FILE ETCD_ASIDE ETCD_DATA KUBERNETES_FOLDER PKI_FOLDER RESTORED_NOTE RESTORE_ASIDE RESTORE_FAILED

. shell/lib/usual-path.sh

. member/lib/etcd-over-http.sh

. member/lib/own-api-server.sh

. member/lib/cluster-version.sh

. member/lib/config-in-use.sh

. member/lib/node-version.sh

. procedures/etcd-restore/lib/restore-state.sh

# As an upgrade does it: the Corefile stays, and what keeps the replicas apart is put back. Where there is none, another DNS has its place. The restore does
# not depend on it.
update_coredns() {
    coredns() { kubectl --request-timeout=10s -n kube-system "$@"; }
    found=$(coredns get deployment coredns --ignore-not-found -o 'jsonpath={.metadata.name} {.spec.template.spec.affinity}') || found=unknown
    if [ -z "${found% }" ]; then return 0; fi
    if [ "$found" = unknown ] || ! kubeadm init phase addon coredns --config "$config"; then
        echo "CoreDNS stays as the snapshot has it, until the next upgrade"
        return 0
    fi
    if [ -z "${found#coredns }" ]; then return 0; fi
    coredns patch deployment coredns --type=merge -p "{\"spec\":{\"template\":{\"spec\":{\"affinity\":${found#coredns }}}}}" ||
        echo "CoreDNS's replicas may run on one node until the next pulumi up --refresh"
}
# Since 1.35.5 and 1.36.1 kubeadm makes it in an upgrade: without it API servers with a certificate from after that are kept from logs and exec.
let_api_servers_reach_kubelets() {
    binding=kubeadm:apiserver-kubelet-client
    kubectl create clusterrolebinding "$binding" --clusterrole=system:kubelet-api-admin --user=kube-apiserver-kubelet-client --dry-run=client -o yaml |
        kubectl --request-timeout=30s apply -f -
}
# The snapshot may be from before an upgrade: by kubeadm's configuration no control-plane node would join then, and no upgrade begin.
tell_version() {
    export KUBECONFIG="$ADMIN_CONFIG"
    tries=0
    until at=$(cluster_version 10s) && [ -n "$at" ]; do
        tries=$((tries + 1))
        if [ $tries -ge 15 ]; then refuse "the cluster does not say which version it has (configmap kubeadm-config). Run pulumi up again"; fi
        sleep 2
    done
    runs=$(image_version kube-apiserver)
    # in the middle of an upgrade the settings may still be of the earlier version: the upgrade goes on, and tells the cluster
    if [ "$at" = "$runs" ] || ! grep -qE "^kubernetesVersion: \"?v$runs\"?$" "$CLUSTER_CONFIG_FILE"; then return 0; fi
    echo "the snapshot is of v$at: write v$runs into kubeadm's configuration of the cluster"
    config=$(config_in_use)
    kubeadm init phase upload-config kubelet --config "$config"
    let_api_servers_reach_kubelets || refuse "the API servers could not be allowed to reach kubelets. Run pulumi up again"
    update_coredns
    # last: the next run goes on where this one is killed
    kubeadm init phase upload-config kubeadm --config "$config"
    case $config in /run/*) rm -rf "${config%/*}" ;; esac
}
if is_restored; then exit 0; fi
need_prepared
if [ ! -e "$work/exchanged" ]; then refuse "its data was not exchanged"; fi
for component in etcd kube-apiserver kube-controller-manager kube-scheduler; do
    if [ -e "$aside/$component.yaml" ]; then mv "$aside/$component.yaml" "$manifests/$component.yaml"; fi
done
sync -f "$KUBERNETES_FOLDER"
systemctl start kubelet.service
end=$(($(date +%s) + 300))
until etcd_is_healthy; do
    if [ "$(date +%s)" -ge "$end" ]; then
        say_why
        refuse "etcd finds no majority with the restored data. Run pulumi up again. Its former data is in $ETCD_DATA/before-restore-*"
    fi
    sleep 1
done
wait_for_own_api_server
if [ "$UPLOADS" = yes ]; then tell_version; fi
note_restored "$WORD" "$SNAPSHOT"
rm -rf "$work" "$RESTORE_ASIDE"
start_timer

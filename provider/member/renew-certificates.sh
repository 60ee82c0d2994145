#!/bin/sh
# renew-certificates.sh: renews the certificates of a control-plane node and restarts its static pods one after another, so that they use them.
# The authorities are here, so it works also where all certificates have ended and no API server answers.
# constants: CLUSTER_CONFIG_FILE QUORUM_AT_RISK

. shell/lib/as-administrator.sh

. member/lib/own-api-server.sh

. member/lib/staged-certificate.sh

. member/lib/restart-component.sh

. member/lib/etcd-quorum.sh

. member/lib/due-certificates.sh

. member/lib/kubelet-certificates.sh

. member/lib/keep-bridge.sh

. member/lib/sign-kubelet-client.sh

ended_certificates() { kubeadm_certificates | while IFS= read -r file; do if ends_within "$file" 0; then echo "$file"; fi; done; }
# etcd's port for metrics answers also without a majority
has_leader() { curl -s --noproxy '*' -m 3 http://127.0.0.1:2381/metrics 2>/dev/null | grep -q '^etcd_server_has_leader 1$'; }
# where something has ended already, etcd may not be asked, and waiting makes nothing better
refuse_if_quorum_at_risk() {
    if [ -n "$(ended_certificates)" ] || ! api_ready; then return 0; fi
    refuse_without_quorum ""
}
require_openssl
# whether it served, and whether etcd could: an ended cluster comes back when most of its masters are renewed
ended=
if ! api_ready && [ -n "$(ended_certificates)" ]; then ended=yes; fi
if runs_with_former_certificate etcd || [ -n "$(due_kubeadm_certificates)" ]; then refuse_if_quorum_at_risk; fi
renew_kubelet_certificates
# it starts again what ends below
if ! systemctl -q is-active kubelet.service; then start_kubelet_again; fi
if [ -n "$(due_kubeadm_certificates)" ]; then
    kubeadm certs renew all --config "$CLUSTER_CONFIG_FILE"
    keep_bridge
    sync -- "$PKI_FOLDER"/*.crt "$PKI_FOLDER"/*.key "$PKI_FOLDER"/etcd/*.crt "$PKI_FOLDER"/etcd/*.key "$KUBERNETES_FOLDER"/*.conf
fi
if runs_with_former_certificate etcd; then restart_component etcd; fi
if [ -n "$ended" ]; then
    # what ended often is started again at once only by a new kubelet
    start_kubelet_again
    tries=0
    until has_leader; do
        tries=$((tries + 1))
        if [ $tries -ge 40 ]; then
            for component in kube-apiserver kube-controller-manager kube-scheduler; do end_component "$component"; done
            echo "its certificates are renewed; etcd has no leader until more of the masters are"
            exit 0
        fi
        sleep 1
    done
fi
restart_servers
require_none_due

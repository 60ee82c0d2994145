#!/bin/sh
# kubelet-certificates.sh: renew_kubelet_certificates gives kubelet a client certificate again that it did not renew in time, and a new serving
# certificate. Wants due-certificates.sh, and a function obtain_kubelet_client.
# use_kubelet_client: standard input, a client certificate and its key, becomes kubelet's; it is to be started again.
# constants: KUBELET_CONFIG
# shellcheck disable=SC2154 # due-certificates.sh sets the paths

. member/lib/say-why.sh

start_kubelet_again() {
    systemctl reset-failed kubelet.service 2>/dev/null || true
    systemctl restart kubelet.service
}
use_kubelet_client() {
    umask 077
    file=$kubelet_pki/kubelet-client-$(date +%Y-%m-%d-%H-%M-%S).pem
    cat > "$file"
    sync -- "$file"
    ln -sfn "$file" "$kubelet_client".new
    mv -T "$kubelet_client".new "$kubelet_client"
    umask 022
    # kubeadm writes the certificate itself into the file at first
    sed -i "s|^\( *\)client-certificate-data:.*|\1client-certificate: $kubelet_client|; s|^\( *\)client-key-data:.*|\1client-key: $kubelet_client|" "$KUBELET_CONFIG"
}
# SECONDS
kubelet_renews_within() {
    end=$(($(date +%s) + $1))
    while kubelet_client_is_overdue; do
        [ "$(date +%s)" -lt "$end" ] || return 1
        sleep 1
    done
}
renew_kubelet_client() {
    if ! kubelet_client_ended; then
        echo "kubelet has not renewed its client certificate: it is started again"
        start_kubelet_again
        if kubelet_renews_within 60; then return 0; fi
    fi
    obtain_kubelet_client
}
renew_kubelet_serving() {
    echo "kubelet makes its serving certificate again"
    rm -f "$kubelet_pki/kubelet.crt" "$kubelet_pki/kubelet.key"
    start_kubelet_again
    tries=0
    until [ -s "$kubelet_pki/kubelet.crt" ]; do
        tries=$((tries + 1))
        if [ $tries -ge 60 ]; then
            echo "kubelet has made no serving certificate after 60 s" >&2
            say_why
            exit 1
        fi
        sleep 1
    done
}
renew_kubelet_certificates() {
    if kubelet_client_is_overdue; then renew_kubelet_client; fi
    if kubelet_serving_is_due; then renew_kubelet_serving; fi
}

#!/bin/sh
# renew-certificate.sh: renew_api_server_certificate CONFIG makes the API server's certificate again, and waits until it is served.
# It writes the files in place, key first: the API server watches these files, and would notice replaced ones only a minute
# later. Wants KUBECONFIG.
# inputs: ADDRESS NAMES (that it must have, one a line)
# constants: ADMIN_CONFIG KUBERNETES_FOLDER PKI_FOLDER SERVED_SECONDS

. member/lib/keep-bridge.sh

. member/lib/staged-certificate.sh

serves_name() {
    kubectl --kubeconfig "$ADMIN_CONFIG" --server "https://$ADDRESS:6443" --tls-server-name "$1" --request-timeout=5s \
        get --raw /readyz >/dev/null 2>&1
}
renew_api_server_certificate() {
    # in memory, and the authority's key stays where it is
    made=$(mktemp -d -p /run)
    ln -s "$PKI_FOLDER"/ca.crt "$PKI_FOLDER"/ca.key "$made/"
    sed "s|^kind: ClusterConfiguration$|&\ncertificatesDir: $made|" "$1" > "$made/config.yaml"
    kubeadm init phase certs apiserver --config "$made/config.yaml"
    mkdir -p "$APPLIED_FOLDER"
    rm -rf "$staged" "$staged".new
    mkdir -m 700 "$staged".new
    cp "$made/apiserver.key" "$made/apiserver.crt" "$staged".new/
    sync -- "$staged".new/* "$staged".new
    mv "$staged".new "$staged"
    sync -- "$APPLIED_FOLDER"
    rm -rf "$made"
    place_staged_certificate
    keep_bridge
    # with a certificate of the user's own there is nothing to wait for
    grep -qF -e '--tls-cert-file='"$PKI_FOLDER"'/apiserver.crt' "$KUBERNETES_FOLDER"/manifests/kube-apiserver.yaml || return 0
    served_by=$(($(date +%s) + SERVED_SECONDS))
    for name in $NAMES; do
        until serves_name "$name"; do
            if [ "$(date +%s)" -ge "$served_by" ]; then
                echo "the API server of this machine does not show its new certificate, with the name $name, after $SERVED_SECONDS s" >&2
                return 1
            fi
            sleep 1
        done
    done
}

#!/bin/sh
# sign-kubelet-client.sh: obtain_kubelet_client, on a control-plane node: the authority signs kubelet's client certificate here, so it works while no API
# server answers. Wants kubelet-certificates.sh.
# inputs: NAME
# constants: PKI_FOLDER
# shellcheck disable=SC2154 # due-certificates.sh sets the paths

obtain_kubelet_client() {
    echo "kubelet's client certificate is signed here"
    made=$(mktemp -d -p /run)
    umask 077
    openssl ecparam -genkey -name prime256v1 -noout -out "$made/key"
    openssl req -new -key "$made/key" -subj "/O=system:nodes/CN=system:node:$NAME" -out "$made/request"
    printf 'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth\n' > "$made/extensions"
    openssl x509 -req -in "$made/request" -CA "$PKI_FOLDER"/ca.crt -CAkey "$PKI_FOLDER"/ca.key -set_serial "0x4$(openssl rand -hex 15)" \
        -days 365 -extfile "$made/extensions" -out "$made/certificate" 2>/dev/null
    cat "$made/certificate" "$made/key" | use_kubelet_client
    rm -rf "$made"
    umask 022
    start_kubelet_again
}

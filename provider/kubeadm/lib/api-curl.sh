#!/bin/sh
# api-curl.sh: api_curl calls an API server with the client certificate apiserver-kubelet-client, on a control-plane node.
# kubectl would need ten times the CPU.
# constants: PKI_FOLDER

api_curl() {
    curl -s --noproxy '*' --cacert "$PKI_FOLDER"/ca.crt --cert "$PKI_FOLDER"/apiserver-kubelet-client.crt \
        --key "$PKI_FOLDER"/apiserver-kubelet-client.key "$@" 2>/dev/null
}

#!/bin/sh
# print-authorities-state.sh: prints what a rotation of the authorities needs to know of this machine, as lines name=value. No secret.
# inputs: ADDRESS PATIENCE
# constants: PKI_FOLDER

. shell/lib/usual-path.sh

. kubeadm/lib/api-ready.sh

. procedures/authorities/lib/authority-name.sh

. member/lib/etcd-over-http.sh

. procedures/lib/one-flag.sh

. procedures/lib/say-state.sh

# kubeadm's files, and keys that are here: a cluster whose authorities are elsewhere cannot sign
are_ours() {
    for path in ca front-proxy-ca etcd/ca; do
        if [ ! -s "$PKI_FOLDER/$path.crt" ] || [ ! -s "$PKI_FOLDER/$path.key" ]; then return 1; fi
    done
    has_one_flag kube-apiserver client-ca-file "$PKI_FOLDER"/ca.crt &&
        has_one_flag kube-apiserver etcd-cafile "$PKI_FOLDER"/etcd/ca.crt &&
        has_one_flag kube-apiserver requestheader-client-ca-file "$PKI_FOLDER"/front-proxy-ca.crt &&
        has_one_flag kube-controller-manager root-ca-file "$PKI_FOLDER"/ca.crt &&
        has_one_flag kube-controller-manager cluster-signing-cert-file "$PKI_FOLDER"/ca.crt &&
        has_one_flag etcd trusted-ca-file "$PKI_FOLDER"/etcd/ca.crt &&
        has_one_flag etcd peer-trusted-ca-file "$PKI_FOLDER"/etcd/ca.crt
}
say_state
echo "ours=$(yes_if are_ours)"
echo "keys=$(authority_name "$PKI_FOLDER"/ca.crt)"

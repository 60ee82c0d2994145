#!/bin/sh
# cluster-identity.sh: cluster_identity prints a fingerprint of the cluster's authorities, service-account key and encryption keys: a snapshot of etcd works
# only in a cluster that has the same. It cannot be turned back into a key.
# constants: API_SERVER_FOLDER PKI_FOLDER

# in the middle of a rotation sa.pub has more than one key, the newest first
first_block() { if [ "${1##*/}" = sa.pub ]; then sed '/-----END/q' "$1"; else cat "$1"; fi; }
cluster_identity() {
    {
        for part in ca.crt etcd/ca.crt front-proxy-ca.crt sa.pub; do
            echo "$part $(first_block "$PKI_FOLDER/$part" | tr -d ' \r\n' | sha256sum | cut -c 1-64)"
        done
        sed -n 's/^ *-\{0,1\} *secret: *//p' "$API_SERVER_FOLDER/encryption.yaml" 2> /dev/null | tr -d '"'\'' \r' | sort | sha256sum | cut -c 1-64
    } | sha256sum | cut -c 1-16
}

#!/bin/sh
# keep-bridge.sh: keep_bridge puts the authority's bridge behind the API server's certificate again, which kubeadm has just made without it: pods that started
# before a rotation of the authorities trust the former one, and take the new one by that. The API server notices within a minute.
# constants: AUTHORITY_BRIDGE PKI_FOLDER

keep_bridge() {
    served=$PKI_FOLDER/apiserver.crt
    if [ ! -s "$AUTHORITY_BRIDGE" ] || [ ! -s "$served" ] || [ "$(grep -c BEGIN "$served")" != 1 ]; then return 0; fi
    # a bridge of another authority helps no one
    if ! openssl verify -partial_chain -CAfile "$AUTHORITY_BRIDGE" "$served" >/dev/null 2>&1; then return 0; fi
    cat "$served" "$AUTHORITY_BRIDGE" > "$served".new
    sync -- "$served".new
    # in place: the API server watches this file, and would notice another one only a minute later
    cat "$served".new > "$served"
    rm -f "$served".new
}

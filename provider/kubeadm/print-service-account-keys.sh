#!/bin/sh
# print-service-account-keys.sh: prints this machine's keys of service accounts' tokens in base64, for another control-plane node of the cluster: the key that
# signs, and in a second line those that are accepted.
# constants: PKI_FOLDER

for file in "$PKI_FOLDER"/sa.key "$PKI_FOLDER"/sa.pub; do
    if [ ! -s "$file" ]; then
        echo "$file is missing on this machine: copy it from another control-plane node" >&2
        exit 1
    fi
    base64 -w0 "$file"
    echo
done

#!/bin/sh
# print-encryption-settings.sh: prints this machine's encryption settings in base64, for another control-plane node of the cluster.
# constants: ENCRYPTION_FILE

if [ ! -s "$ENCRYPTION_FILE" ]; then
    echo "$ENCRYPTION_FILE is missing on this machine: copy it from another control-plane node" >&2
    exit 1
fi
base64 -w0 "$ENCRYPTION_FILE"
echo

#!/bin/sh
# verify-machine.sh: on another control-plane node, prints "yes" if what a machine said proves that it is that of the node NAME: the cluster has given kubelet this certificate, and
# the machine has its key. A certificate that has ended proves it, too; so does one of the next authority, by its bridge.
# inputs: CERTIFICATE CHALLENGE NAME SIGNATURE (both in base64)
# constants: PKI_FOLDER

. shell/lib/usual-path.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf %s "$CERTIFICATE" | base64 -d > "$folder/certificate"
printf %s "$SIGNATURE" | base64 -d > "$folder/signature"
openssl x509 -in "$folder/certificate" -noout -pubkey > "$folder/key" 2>/dev/null || exit 0
subject=$(openssl x509 -in "$folder/certificate" -noout -subject -nameopt RFC2253)
if [ "${subject#subject=}" != "CN=system:node:$NAME,O=system:nodes" ]; then exit 0; fi
openssl verify -no_check_time -CAfile "$PKI_FOLDER"/ca.crt -untrusted "$folder/certificate" "$folder/certificate" >/dev/null 2>&1 || exit 0
printf %s "$CHALLENGE" | openssl dgst -sha256 -verify "$folder/key" -signature "$folder/signature" >/dev/null 2>&1 || exit 0
echo yes

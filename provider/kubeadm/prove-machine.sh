#!/bin/sh
# prove-machine.sh: prints what only the machine of a node can say: kubelet's certificate with its bridge, and CHALLENGE signed with its key. Nothing where it has none.
# inputs: CHALLENGE

. shell/lib/usual-path.sh

client=/var/lib/kubelet/pki/kubelet-client-current.pem
if [ ! -s "$client" ]; then exit 0; fi
# all of them, and never the key that is in the same file
echo "certificate=$(sed -n '/^-----BEGIN CERTIFICATE-----$/,/^-----END CERTIFICATE-----$/p' "$client" | base64 -w0)"
echo "signature=$(printf %s "$CHALLENGE" | openssl dgst -sha256 -sign "$client" | base64 -w0)"

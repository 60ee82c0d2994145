#!/bin/sh
# print-certificates.sh: prints the certificates of a node, never a key.
# constants: PKI_FOLDER

. shell/lib/usual-path.sh

only_certificates() { sed -n '/^-----BEGIN CERTIFICATE-----/,/^-----END CERTIFICATE-----/p'; }
show() { [ ! -r "$1" ] || { echo "== $1"; only_certificates < "$1"; }; }
for file in "$PKI_FOLDER"/*.crt "$PKI_FOLDER"/etcd/*.crt /var/lib/kubelet/pki/kubelet-client-current.pem; do show "$file"; done
# kubelet.crt is in use only where no authority signs kubelet's server certificate
if [ -r /var/lib/kubelet/pki/kubelet-server-current.pem ]; then show /var/lib/kubelet/pki/kubelet-server-current.pem
else show /var/lib/kubelet/pki/kubelet.crt; fi
for file in /etc/kubernetes/*.conf; do
    [ -r "$file" ] || continue
    data=$(sed -n 's/^ *client-certificate-data: *//p' "$file" | head -n 1)
    [ -z "$data" ] || { echo "== $file"; printf '%s' "$data" | base64 -d | only_certificates; }
done

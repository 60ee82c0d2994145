#!/bin/sh
# print-traces.sh: prints to which cluster this machine belongs, as lines name=value.
# constants: AUTHORITY_FILE KUBECONFIGS PKI_FOLDER STATE_FOLDER TRACES

echo "noted=$(cat "$STATE_FOLDER"/cluster 2>/dev/null || true)"
for trace in $TRACES; do
    [ ! -e "$trace" ] || echo "trace=$trace"
done
encoded() { base64 | tr -d '\n'; }
# An authority that a rotation has brought comes with all those that this machine has noted with it, so with the one by which the cluster is known
with_noted() {
    text=$(cat)
    one_line=$(printf '%s' "$text" | tr -d ' \r\n')
    printf '%s\n' "$text"
    if [ ! -s "$AUTHORITY_FILE" ]; then return 0; fi
    case $(tr -d ' \r\n' < "$AUTHORITY_FILE") in *"${one_line:-nothing}"*) cat "$AUTHORITY_FILE" ;; esac
}
if [ -e "$PKI_FOLDER"/ca.crt ]; then echo "authority=$(with_noted < "$PKI_FOLDER"/ca.crt | encoded)"; fi
for config in $KUBECONFIGS; do
    [ -e "$config" ] || continue
    sed -n 's/^ *certificate-authority-data: *//p' "$config" | while IFS= read -r data; do
        # what is no base64 is printed as it is, and is then read as no certificate
        if pem=$(printf '%s' "$data" | base64 -d 2>/dev/null); then data=$(printf '%s\n' "$pem" | with_noted | encoded); fi
        echo "authority=$data"
    done
    sed -n 's/^ *server: */server=/p' "$config"
done
if [ -e /var/lib/kubelet/pki/kubelet-client-current.pem ]; then
    echo "certificate=$(awk '/-BEGIN CERT/,/-END CERT/' /var/lib/kubelet/pki/kubelet-client-current.pem | encoded)"
fi

#!/bin/sh
# issue-certificates.sh: all certificates of this control-plane node come from the next authorities. This machine still trusts the former ones, and so do others:
# each certificate has its bridge behind it, by which they take it. Does nothing where that is done.
# inputs: ADDRESS AWAY (see etcd-quorum.sh) CA_NAME
# secrets: authorities kubelet (its client certificate, the bridge and the key)
# constants: AUTHORITY_BRIDGE CLUSTER_CONFIG_FILE KUBERNETES_FOLDER PKI_FOLDER QUORUM_AT_RISK ROTATION_FAILED

. shell/lib/as-administrator.sh

. member/lib/own-api-server.sh

. member/lib/restart-component.sh

. member/lib/etcd-quorum.sh

. member/lib/due-certificates.sh

. member/lib/kubelet-certificates.sh

. procedures/authorities/lib/kubelet-is-healthy.sh

. procedures/authorities/lib/authorities.sh

. member/lib/config-in-use.sh

require_openssl
if [ "$(authority_name "$PKI_FOLDER"/ca.crt)" = "$CA_NAME" ]; then
    echo "this machine trusts the new authorities already"
    exit 0
fi
. shell/lib/work-folder.sh
made=$work/pki
mkdir -p "$made"/etcd "$work"/conf
umask 077
for path in ca front-proxy-ca etcd/ca; do
    for kind in crt key bridge; do next_file "$path.$kind" > "$made/$path.$kind"; done
    refuse_other_authority "$path" "$made/$path.bridge"
done
cp "$PKI_FOLDER"/sa.key "$PKI_FOLDER"/sa.pub "$made"/
# certificate and the authority that signs it, as paths below the folder of keys
certificates='apiserver:ca apiserver-kubelet-client:ca front-proxy-client:front-proxy-ca apiserver-etcd-client:etcd/ca
    etcd/server:etcd/ca etcd/peer:etcd/ca etcd/healthcheck-client:etcd/ca'
# FILE AUTHORITY: one that the next authority has signed, with its bridge and its key
is_next() {
    certificate_in "$1" > "$work/seen" 2>/dev/null && [ "$(grep -c BEGIN "$work/seen")" -ge 2 ] &&
        openssl verify -CAfile "$made/$2.crt" "$work/seen" >/dev/null 2>&1 && has_its_key "$1"
}
not_next() {
    for pair in $certificates; do
        if [ -e "$PKI_FOLDER/${pair%:*}.crt" ] && ! is_next "$PKI_FOLDER/${pair%:*}.crt" "${pair#*:}"; then echo "${pair%:*}"; fi
    done
    for name in admin super-admin controller-manager scheduler; do
        if grep -q '^ *client-certificate-data:' "$KUBERNETES_FOLDER/$name.conf" 2>/dev/null && ! is_next "$KUBERNETES_FOLDER/$name.conf" ca; then
            echo "$name.conf"
        fi
    done
}
# NAME KEY: a value of the kubeconfig that kubeadm has made
made_value() { sed -n "s/^ *$2: *//p" "$work/conf/$1.conf" | head -n 1; }
issue_kubeconfig() {
    kubeadm init phase kubeconfig "$1" --config "$work/config.yaml" --kubeconfig-dir "$work/conf" > /dev/null
    chain=$({ made_value "$1" client-certificate-data | base64 -d; cat "$made"/ca.bridge; } | base64 -w0)
    # the text of a key is no argument of a program
    made_value "$1" client-key-data > "$work/key"
    awk -v chain="$chain" -v keyfile="$work/key" '
        /^ *client-certificate-data:/ { sub(/:.*/, ": " chain) }
        /^ *client-key-data:/ { getline key < keyfile; sub(/:.*/, ": " key) }
        { print }' "$KUBERNETES_FOLDER/$1.conf" | replace_file "$KUBERNETES_FOLDER/$1.conf" 600
}
issue() {
    sed "s|^kind: ClusterConfiguration\$|&\ncertificatesDir: $made|" "$(config_in_use)" > "$work/config.yaml"
    kubeadm init phase certs all --config "$work/config.yaml" > /dev/null
    for pair in $certificates; do
        path=${pair%:*}
        if [ ! -e "$PKI_FOLDER/$path.crt" ]; then continue; fi
        replace_file "$PKI_FOLDER/$path.key" 600 < "$made/$path.key"
        bridge=$made/${pair#*:}.bridge
        # pods ask the API server
        if [ "$path" = apiserver ]; then bridge=$AUTHORITY_BRIDGE; fi
        cat "$made/$path.crt" "$bridge" | replace_file "$PKI_FOLDER/$path.crt" 644
    done
    for name in admin super-admin controller-manager scheduler; do
        if grep -q '^ *client-certificate-data:' "$KUBERNETES_FOLDER/$name.conf" 2>/dev/null; then issue_kubeconfig "$name"; fi
    done
}

left=$(not_next)
if [ -n "$left" ] || runs_with_former_certificate etcd; then refuse_without_quorum "$AWAY"; fi
# those of former rotations stay behind it: a pod may be older than all of them
if ! has_text_of "$made"/ca.bridge "$AUTHORITY_BRIDGE"; then
    mkdir -p "${AUTHORITY_BRIDGE%/*}"
    cat "$made"/ca.bridge "$AUTHORITY_BRIDGE" 2>/dev/null | replace_file "$AUTHORITY_BRIDGE" 644
fi
if [ -n "$left" ]; then
    echo "certificates of the new authorities: $(printf '%s' "$left" | tr '\n' ' ')"
    issue
fi
umask 022
if runs_with_former_certificate etcd; then restart_component etcd; fi
restart_servers
# Last: a kubelet that has just started does not start static pods again for minutes where the API does not answer
if ! is_next "$kubelet_client" ca; then
    use_kubelet_client < "$SECRETS/kubelet"
    start_kubelet_again
    wait_until_kubelet_knows_pods
fi
left=$(not_next)
if [ -n "$left" ]; then
    echo "not of the new authorities: $(printf '%s' "$left" | tr '\n' ' ')" >&2
    exit "$ROTATION_FAILED"
fi

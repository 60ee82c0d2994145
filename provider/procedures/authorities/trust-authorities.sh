#!/bin/sh
# trust-authorities.sh: this control-plane node trusts the next authorities alone, and signs with them. All certificates of the cluster are theirs by now. Does
# nothing where that is done.
# inputs: ADDRESS AWAY (see etcd-quorum.sh)
# secrets: authorities
# constants: KUBERNETES_FOLDER PKI_FOLDER QUORUM_AT_RISK ROTATION_FAILED

. shell/lib/as-administrator.sh

. member/lib/own-api-server.sh

. member/lib/restart-component.sh

. member/lib/etcd-quorum.sh

. member/lib/due-certificates.sh

. member/lib/kubelet-certificates.sh

. procedures/lib/started-since.sh

. procedures/authorities/lib/kubelet-is-healthy.sh

. procedures/authorities/lib/authorities.sh

. member/lib/note-rotated.sh

require_openssl
. shell/lib/work-folder.sh
umask 077
next_file ca.crt > "$work/ca.crt"
certificate_in "$KUBERNETES_FOLDER"/controller-manager.conf > "$work/leaf"
if ! openssl verify -no_check_time -CAfile "$work/ca.crt" "$work/leaf" >/dev/null 2>&1; then
    echo "certificates of this machine are not of the new authorities yet" >&2
    exit "$ROTATION_FAILED"
fi
trusts() { for path in ca front-proxy-ca etcd/ca; do next_file "$path.crt" | cmp -s - "$PKI_FOLDER/$path.crt" || return 1; done; }
if ! trusts || ! has_read etcd "$PKI_FOLDER"/etcd/ca.crt; then refuse_without_quorum "$AWAY"; fi
note_rotated authorities
# first: else this machine would be taken for another cluster's
note_authority "$work/ca.crt"
for path in ca front-proxy-ca etcd/ca; do
    next_file "$path.key" | put_file "$PKI_FOLDER/$path.key" 600
    next_file "$path.crt" | put_file "$PKI_FOLDER/$path.crt" 644
done
for name in admin super-admin controller-manager scheduler kubelet; do
    if [ ! -e "$KUBERNETES_FOLDER/$name.conf" ]; then continue; fi
    with_authority "$KUBERNETES_FOLDER/$name.conf" "$work/ca.crt" > "$work/conf"
    put_file "$KUBERNETES_FOLDER/$name.conf" 600 < "$work/conf"
done
umask 022
# COMPONENT FILES
restart_with() {
    if has_read "$1" "$2"; then return 0; fi
    # what starts in the same second as the file came cannot be told from what was there before
    sleep 2
    restart_component "$1"
}
restart_with etcd "$PKI_FOLDER/etcd/ca.crt"
wait_for_own_api_server
if ! has_read kube-apiserver "$PKI_FOLDER/etcd/ca.crt $PKI_FOLDER/ca.crt"; then
    restart_with kube-apiserver "$PKI_FOLDER/etcd/ca.crt $PKI_FOLDER/ca.crt"
    # the load balancers send requests here again before the next master's API server ends
    sleep 5
fi
restart_with kube-controller-manager "$PKI_FOLDER/ca.crt $KUBERNETES_FOLDER/controller-manager.conf"
restart_with kube-scheduler "$KUBERNETES_FOLDER/scheduler.conf"
wait_for_own_api_server
# Last: a kubelet that has just started does not start static pods again for minutes where the API does not answer
if ! kubelet_has_read "$KUBERNETES_FOLDER"/kubelet.conf; then
    sleep 2
    start_kubelet_again
    wait_until_kubelet_knows_pods
fi
echo "trusts the authority $(authority_name "$PKI_FOLDER"/ca.crt)"

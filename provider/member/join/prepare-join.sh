#!/bin/sh
# prepare-join.sh: removes what a former machine of this name or address left, and creates a token. A member that lives is no former machine: the program or
# its state is older than the cluster, or another machine answers in its place. But what a try to join has begun may go, which the machine has proven, or our token shows.
# inputs: ADDRESS PROVEN (yes: the machine has kubelet's key of this node) ROLE VERSION (of the machine that joins)
# constants: AUTHORITY_BRIDGE AUTHORITY_FILE PKI_FOLDER QUORUM_AT_RISK REQUEST_NOTES RESTORED_NOTE ROTATED_FILE VERSION_MISMATCH

. shell/lib/as-administrator.sh

. member/lib/cluster-version.sh

. kubeadm/lib/etcdctl.sh

. kubeadm/lib/etcd-member-absent.sh

. member/lib/has-text-of.sh

. member/lib/key-hash.sh

. member/join/lib/node-api.sh

# three times, as one that is only slow lives, too
lives() {
    for _ in 1 2 3; do
        if [ -n "$1" ] && e endpoint health --endpoints="$1" >/dev/null 2>&1 </dev/null; then return 0; fi
        sleep 2
    done
    return 1
}
is_begun_here() {
    if [ "$PROVEN" = yes ]; then return 0; fi
    kubectl --request-timeout=20s -n kube-system get secrets --field-selector type=bootstrap.kubernetes.io/token \
        -o 'jsonpath={range .items[*]}{.data.description}{"\n"}{end}' | grep -qxF "$(printf %s "join of $NAME" | base64 -w0)"
}
refuse_living() {
    echo "$1: it lives there, and is another machine than the one that is to join at $ADDRESS; it was left alone" >&2
    exit "$QUORUM_AT_RISK"
}
# kubeadm makes its servers in the version that the cluster has, whatever its own is
if [ "$ROLE" = controlPlane ]; then
    at=$(cluster_version 20s 2>/dev/null)
    if [ -n "$at" ] && [ "$at" != "$VERSION" ]; then
        echo "the cluster is at v$at, and this control-plane node would join with v$VERSION: set kubernetes.version to $at until it has joined" >&2
        exit "$VERSION_MISMATCH"
    fi
fi
if [ "$ROLE" = controlPlane ] && ! nobody_like_us; then
    # the pod is looked for here: a pipeline's function could not remember it
    find_etcd
    members=$(e member list)
    # shellcheck disable=SC2034 # columns
    printf '%s\n' "$members" | while IFS=, read -r id state name peers clients rest; do
        if [ "${name# }" != "$NAME" ] && [ "${peers# }" != "$PEER" ]; then continue; fi
        # what a try has begun has both
        if [ "${name# } ${peers# }" = "$NAME $PEER" ] && is_begun_here </dev/null; then continue; fi
        if ! lives "${clients# }"; then continue; fi
        refuse_living "etcd has${name} at${peers}, where it answers"
    done || exit
    # shellcheck disable=SC2034 # columns
    printf '%s\n' "$members" | while IFS=, read -r id state name peers rest; do
        if [ "${name# }" = "$NAME" ] || [ "${peers# }" = "$PEER" ]; then
            e member remove "$id" >&2 || exit "$QUORUM_AT_RISK"
        fi
    done
fi
# kubeadm refuses a name that seems to live: it takes 40 s until a machine that is gone is called NotReady
if [ "$(code_of "$(node_api)")" != 404 ]; then
    former=$(kubectl --request-timeout=20s get node "$NAME" --ignore-not-found -o jsonpath='{.status.addresses[?(@.type=="InternalIP")].address}')
    if [ "$former" = "$ADDRESS" ]; then
        ready=$(kubectl --request-timeout=20s get node "$NAME" --ignore-not-found -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')
        if [ "$ready" = True ] && ! is_begun_here; then refuse_living "the cluster has $NAME at $former, where it is Ready"; fi
        kubectl delete node "$NAME" --timeout=60s >&2
    fi
fi
# The one by which machines join: cluster-info still has the former one where a rotation was stopped before its end. Only one that the cluster is known by counts
authority_to_join_by() {
    named=$(kubectl --request-timeout=20s -n kube-public get configmap cluster-info --ignore-not-found -o 'jsonpath={.data.kubeconfig}' 2>/dev/null |
        sed -n 's/^ *certificate-authority-data: *//p' | head -n 1 | base64 -d 2>/dev/null) || named=
    text=$(printf '%s' "$named" | one_line)
    case $(one_line < "$AUTHORITY_FILE") in
        *"${text:-none}"*) printf '%s\n' "$named" | key_hash /dev/stdin ;;
        *) key_hash "$PKI_FOLDER"/ca.crt ;;
    esac
}
# after a rotation of the authorities: the one to join by, all that the cluster is known by, and the bridge. The program knows only the first one
if [ "$(tr -d ' \r\n' < "$PKI_FOLDER"/ca.crt)" != "$(tr -d ' \r\n' < "$AUTHORITY_FILE")" ]; then
    echo "ca sha256:$(authority_to_join_by)"
    echo "authorities $(base64 -w0 "$AUTHORITY_FILE")"
    [ ! -s "$AUTHORITY_BRIDGE" ] || echo "bridge $(base64 -w0 "$AUTHORITY_BRIDGE")"
fi
if [ "$ROLE" = controlPlane ] && [ -s "$ROTATED_FILE" ]; then sed 's/^/rotated /' "$ROTATED_FILE"; fi
# what the cluster has done by a word. An upgrade that goes on here comes to the other machine in its own turn
if [ "$ROLE" = controlPlane ] && [ -s "$RESTORED_NOTE" ]; then sed 's/^/restored /' "$RESTORED_NOTE"; fi
for note in "$REQUEST_NOTES"/*; do
    if [ -s "$note" ]; then sed -n "s/^\([^ ]*\) done .*/request ${note##*/} \1/p" "$note"; fi
done
kubeadm token create --ttl 20m --description "join of $NAME"

#!/bin/sh
# join-cluster.sh: joins the cluster; cleans up first where an earlier try stopped halfway.
# inputs: CLUSTER ROLE CA_HASH JOIN_CONFIG
# secrets: control-plane (the token; after a rotation, what prepare-join.sh says of it before that)
# constants: APPLIED_FOLDER AUTHORITY_BRIDGE AUTHORITY_FILE BOOTSTRAP_CONFIG FOREIGN_NODE INIT_STARTED_FILE JOIN_STARTED_FILE KUBELET_CONFIG KUBERNETES_FOLDER MEMBER_FILE PKI_FOLDER REQUEST_NOTES RESTORED_NOTE ROTATED_FILE TOKEN_PLACEHOLDER
# shellcheck disable=SC2153 # inputs

. shell/lib/usual-path.sh

. member/join/lib/kept-for-join.sh

. member/lib/keep-bridge.sh

. member/lib/key-hash.sh

. member/lib/kubernetes-files.sh

. member/lib/note-rotated.sh

. member/join/lib/restart-kubelet-when-ready.sh

. member/join/lib/take-notes-over.sh

. member/lib/say-why.sh

left_halfway() {
    [ -e "$KUBELET_CONFIG" ] || [ -e "$BOOTSTRAP_CONFIG" ] || [ -n "$(ls "$KUBERNETES_FOLDER"/manifests 2>/dev/null)" ] ||
        { [ "$ROLE" = worker ] && [ -e "$PKI_FOLDER"/ca.crt ]; }
}
# the machine may have changed since it was looked at: only what we began, or what has our authority, is reset
is_ours() {
    for note in "$JOIN_STARTED_FILE" "$INIT_STARTED_FILE" "$MEMBER_FILE"; do
        [ "$(cat "$note" 2>/dev/null)" != "$CLUSTER" ] || return 0
    done
    [ "sha256:$(key_hash "$PKI_FOLDER"/ca.crt)" = "$CA_HASH" ]
}
token=$(tail -n 1 "$SECRETS/control-plane")
case $token in
    ??????.????????????????) ;;
    *) echo "the control plane gave no token" >&2; exit 1 ;;
esac
# NAME
told() { sed -n "s/^$1 //p" "$SECRETS/control-plane"; }
signs=$(told ca)
if [ -n "$signs" ]; then JOIN_CONFIG=${JOIN_CONFIG%%"$CA_HASH"*}$signs${JOIN_CONFIG#*"$CA_HASH"}; fi
put_back_for_join
if left_halfway; then
    if ! is_ours; then
        echo "this machine has parts of a cluster that we did not make: nothing on it was changed" >&2
        exit "$FOREIGN_NODE"
    fi
    echo "an earlier try stopped halfway: clean up first"
    keep_for_join
    keep_others_files
    kubeadm reset -f >/dev/null
    put_others_files_back
    put_back_for_join
fi
# of a former life of this machine: a repair would bring it back
rm -rf "$APPLIED_FOLDER"
printf '%s\n' "$CLUSTER" > "$JOIN_STARTED_FILE"
# before kubeadm writes the authority: a machine that is looked at after a stop is known by it
if [ -n "$(told authorities)" ]; then told authorities | base64 -d > "$AUTHORITY_FILE"; fi
told rotated | while read -r line; do case $line in "$CLUSTER "*) add_rotated "$line" ;; esac; done
take_notes_over
# the token never is an argument of a program: only builtins touch it
umask 077
secrets=$SECRETS
file="$secrets/join.yaml"
printf '%s%s%s\n' "${JOIN_CONFIG%%"$TOKEN_PLACEHOLDER"*}" "$token" "${JOIN_CONFIG#*"$TOKEN_PLACEHOLDER"}" > "$file"
hurry=
if [ "$ROLE" = controlPlane ]; then
    hurry_kubelet </dev/null >/dev/null 2>&1 &
    hurry=$!
fi
code=0
kubeadm join --config "$file" || code=$?
rm -f "$file"
[ -z "$hurry" ] || kill "$hurry" 2>/dev/null || true
if [ $code != 0 ]; then
    # kubeadm has started it
    [ ! -e /var/lib/kubelet/config.yaml ] || say_why
    # kubelet would go on by itself and register a node that the program does not know of; a machine with an etcd may be needed for the quorum
    [ -e "$KUBERNETES_FOLDER"/manifests/etcd.yaml ] || systemctl stop kubelet.service || true
    exit $code
fi
if [ "$ROLE" = controlPlane ] && [ -n "$(told bridge)" ]; then
    told bridge | base64 -d > "$AUTHORITY_BRIDGE"
    keep_bridge
fi

. member/join/lib/note-member.sh

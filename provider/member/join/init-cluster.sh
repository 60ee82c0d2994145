#!/bin/sh
# init-cluster.sh: initialises the cluster on its first control-plane node, with the objects of a snapshot if a restore brought one.
# inputs: CLUSTER NAME PEER (URL of its etcd) SEED (word of the restore; "-": none) ROTATED (kinds of keys whose first one it never has)
# constants: ADMIN_CONFIG APPLIED_FOLDER CLUSTER_CONFIG_FILE ETCD_DATA ETCD_IMAGE_FOLDER INIT_STARTED_FILE LEFT_OF_INIT REQUEST_NOTES RESTORED_NOTE RESTORE_FAILED ROTATED_FILE SEED_FOLDER

. shell/lib/usual-path.sh

. member/lib/etcd-image.sh

. member/lib/note-restored.sh

. member/lib/note-rotated.sh

. member/lib/proven-snapshot.sh

. member/join/lib/seeded-etcd.sh

. member/lib/say-why.sh

if [ "$SEED" != - ]; then require_seed; fi
ignore=
# what kubeadm writes first. Without it no init got behind its preflight: what that found is not ours
if [ -e "$INIT_STARTED_FILE" ] && { [ -e "$ADMIN_CONFIG" ] || [ -e /var/lib/kubelet/config.yaml ]; }; then
    ignore=--ignore-preflight-errors="$LEFT_OF_INIT"
fi
printf '%s\n' "$CLUSTER" > "$INIT_STARTED_FILE"
# of a cluster before, after a reset by hand
rm -rf "$APPLIED_FOLDER" "$REQUEST_NOTES"
if [ "$SEED" != - ]; then
    place_seed
    ignore=${ignore:---ignore-preflight-errors=DirAvailable--var-lib-etcd}
fi
# shellcheck disable=SC2086 # empty: no word
kubeadm init --config "$CLUSTER_CONFIG_FILE" --skip-token-print --skip-certificate-key-print $ignore || {
    code=$?
    # kubeadm has started it
    [ ! -e /var/lib/kubelet/config.yaml ] || say_why
    exit $code
}
if [ "$SEED" != - ]; then
    forget_lost_masters
    # shellcheck disable=SC2046 # word and snapshot
    note_restored $(cat "$SEED_FOLDER/note")
fi
for kind in $ROTATED; do add_rotated "$CLUSTER $kind"; done

. member/join/lib/note-member.sh

rm -rf "$SEED_FOLDER"

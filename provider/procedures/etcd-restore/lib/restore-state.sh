#!/bin/sh
# restore-state.sh: where a restore keeps what it is doing. is_restored: whether this machine has done this one. is_stopped: whether etcd was stopped for one
# that has not ended. need_prepared ends the script if this machine is not ready for it.
# inputs: WORD SNAPSHOT
# constants: ETCD_DATA KUBERNETES_FOLDER RESTORED_NOTE RESTORE_ASIDE RESTORE_FAILED
# shellcheck disable=SC2034 # for the script

. member/lib/note-restored.sh

work=$ETCD_DATA/pulumi-nfv-restore manifests=$KUBERNETES_FOLDER/manifests aside=$RESTORE_ASIDE/manifests
components='kube-apiserver kube-controller-manager kube-scheduler etcd'
refuse() {
    printf 'restore %s: %s\n' "$WORD" "$1" >&2
    exit "$RESTORE_FAILED"
}
is_restored() { grep -qxF -- "$WORD $SNAPSHOT" "$RESTORED_NOTE" 2> /dev/null && [ ! -d "$work" ]; }
is_stopped() { { [ -e "$work/note" ] && [ -e "$work/exchanged" ]; } || [ -n "$(ls "$aside" 2> /dev/null)" ]; }
need_prepared() {
    if [ "$(cat "$work/note" 2> /dev/null || true)" != "$WORD $SNAPSHOT" ]; then refuse "this machine is not ready for it: what was prepared is gone"; fi
}
start_timer() {
    if systemctl -q is-enabled pulumi-nfv-etcd-snapshot.timer 2> /dev/null; then systemctl start pulumi-nfv-etcd-snapshot.timer || true; fi
}

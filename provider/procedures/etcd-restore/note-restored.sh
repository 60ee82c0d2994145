#!/bin/sh
# note-restored.sh: notes on a member that joined since that its cluster has done this restore. What was only prepared for it goes.
# inputs: SNAPSHOT WORD
# constants: ETCD_DATA KUBERNETES_FOLDER RESTORED_NOTE RESTORE_ASIDE RESTORE_FAILED

. shell/lib/usual-path.sh

. procedures/etcd-restore/lib/restore-state.sh

if is_stopped; then refuse "it was begun on this machine and has not ended"; fi
note_restored "$WORD" "$SNAPSHOT"
rm -rf "$work"
start_timer

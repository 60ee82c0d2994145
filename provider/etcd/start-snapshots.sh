#!/bin/sh
# start-snapshots.sh: opens the repository; the first control-plane node makes it if there is none, makes the snapshot that is asked for, and the first one at
# all. A node whose last snapshot failed makes one. Then the timer starts.
# inputs: RUN SCHEDULE ("-": none) TURN
# constants: BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES SNAPSHOT_PROGRAM VOLUMES_FOLDER

. shell/lib/usual-path.sh

. storage/lib/restic.sh

mkdir -p "$BACKUP_NOTES" "$BACKUP_CACHE"
use_backup etcd
owner=$(cat "$settings/owner")
# each node would have snapshots of its own, and a restore would find those of one node
refuse_other_folder() {
    if [ "$TURN" = 0 ] || [ ! -s "$settings/folder" ]; then return 0; fi
    check_folder
    kept_in=$(cat "$settings/folder")
    if [ ! -e "$kept_in/config" ]; then
        fail_backup "$kept_in has no repository here, although the first control-plane node has opened it: it must be the same folder on all of them, such as a mount of one server"
    fi
}
# the words that restic does not know are those of this run alone
has_snapshots() {
    if ! ask_snapshots --host "$owner" --tag "$1"; then fail_backup "its snapshots cannot be listed: $(last_words)"; fi
    case $said in *'"id":"'*) return 0 ;; esac
    return 1
}
is_asked() {
    if [ "$TURN" != 0 ]; then return 1; fi
    # also in a repository that the program did not have when it asked by this word
    if ! has_snapshots etcd; then return 0; fi
    if [ "$RUN" = - ]; then return 1; fi
    if [ "$(cat "$BACKUP_NOTES/etcd.run" 2> /dev/null || true)" = "$RUN" ]; then return 1; fi
    # another node made it, which was the first one then
    ! has_snapshots "etcd,asked@$RUN"
}
has_failed() {
    if [ -e "$BACKUP_NOTES/etcd.failed" ]; then return 0; fi
    for left in "$BACKUP_NOTES"/etcd.words.*; do
        # of one that was killed: its process is gone
        if [ -e "$left" ] && ! kill -0 "${left##*.}" 2> /dev/null; then rm -f "$left"; return 0; fi
    done
    return 1
}
refuse_other_folder
open_repository
if is_asked || has_failed; then
    echo "snapshot of etcd ..."
    "$SNAPSHOT_PROGRAM" asked "$RUN"
fi
if [ "$TURN" = 0 ] && [ "$RUN" != - ]; then echo "$RUN" > "$BACKUP_NOTES/etcd.run"; fi
if [ "$SCHEDULE" != - ]; then systemctl -q enable --now pulumi-nfv-etcd-snapshot.timer; fi

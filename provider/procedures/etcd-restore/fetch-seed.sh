#!/bin/sh
# fetch-seed.sh: fetches a snapshot onto a machine that is to begin the cluster with it, and proves it: it is whole, and belongs to the cluster's keys and
# version. Nothing else is touched.
# inputs: IDENTITY (of the keys that the cluster will have) SNAPSHOT VERSION (of Kubernetes, that it will have) WORD
# constants: BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES RESTORE_FAILED SEED_FOLDER VOLUMES_FOLDER

. shell/lib/usual-path.sh

. storage/lib/restic.sh

. member/lib/proven-snapshot.sh

refuse() {
    printf 'restore %s: %s; nothing was changed\n' "$WORD" "$1" >&2
    exit "$RESTORE_FAILED"
}
if [ "$(cat "$SEED_FOLDER/note" 2> /dev/null || true)" = "$WORD $SNAPSHOT $VERSION" ]; then exit 0; fi
end_fetch() {
    code=$?
    if [ "$code" -ne 0 ]; then rm -rf "$SEED_FOLDER"; fi
}
trap end_fetch EXIT
trap 'exit 143' HUP INT TERM
rm -rf "$SEED_FOLDER"
mkdir -p "$BACKUP_NOTES" "$BACKUP_CACHE"
mkdir -m 700 "$SEED_FOLDER"
use_backup etcd
check_folder
unlock_own
echo "restore $WORD: fetch the snapshot $SNAPSHOT"
if ! said=$(call_restic restore "$SNAPSHOT" --target "$SEED_FOLDER/stored" 2>&1); then refuse "restic failed: $(last_words)"; fi
stored=$(find "$SEED_FOLDER/stored" -name snapshot.db | head -n 1)
if [ -z "$stored" ]; then refuse "the snapshot $SNAPSHOT has no data of etcd"; fi
if [ "$(about identity)" != "$IDENTITY" ]; then refuse "the snapshot $SNAPSHOT belongs to other keys than this cluster has"; fi
of_snapshot=$(about kubernetes)
# what a newer API server has written, an older one cannot read; over two minors it is not tried
if [ "${of_snapshot%.*}" != "${VERSION%.*}" ]; then
    refuse "the snapshot $SNAPSHOT is of Kubernetes ${of_snapshot:-unknown}, the program has $VERSION: set kubernetes.version to that of the snapshot, and upgrade afterwards"
fi
is_whole "$stored" || refuse "the snapshot $SNAPSHOT is damaged: $said"
mv "$stored" "${stored%/*}/about" "$SEED_FOLDER"
rm -rf "$SEED_FOLDER/stored"
sync -f "$SEED_FOLDER"
echo "$WORD $SNAPSHOT $VERSION" > "$SEED_FOLDER/note.new"
sync -- "$SEED_FOLDER/note.new"
mv "$SEED_FOLDER/note.new" "$SEED_FOLDER/note"
sync -f "$SEED_FOLDER"
echo "restore $WORD: the snapshot $SNAPSHOT is ready"

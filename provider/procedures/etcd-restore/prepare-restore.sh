#!/bin/sh
# prepare-restore.sh: fetches a snapshot, proves it, and makes a member's data of it beside the data in use. Nothing that runs is touched but the timer.
# inputs: BUMP (added to the revision) MEMBERS (NAME=URL,…) NAME PEER (its URL) SNAPSHOT TOKEN WORD
# constants: API_SERVER_FOLDER BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES ETCD_DATA ETCD_IMAGE_FOLDER KUBERNETES_FOLDER PKI_FOLDER RESTORED_NOTE
# constants: RESTORE_ASIDE RESTORE_FAILED VOLUMES_FOLDER

. shell/lib/usual-path.sh

. storage/lib/restic.sh

. member/lib/etcd-image.sh

. etcd/lib/cluster-identity.sh

. member/lib/proven-snapshot.sh

. procedures/etcd-restore/lib/restore-state.sh

. member/lib/node-version.sh

if is_restored; then exit 0; fi
# what was made for other members, or for another revision, would be a member of another cluster
if [ "$(cat "$work/note" 2> /dev/null || true)" = "$WORD $SNAPSHOT" ] && { is_stopped || [ "$(cat "$work/plan" 2> /dev/null || true)" = "$MEMBERS $BUMP" ]; }; then exit 0; fi
# what is aside is ended by the restore that began it
if is_stopped; then refuse "another restore ($(cat "$work/note" 2> /dev/null || true)) was begun on this machine and has not ended"; fi
end_prepare() {
    code=$?
    unmount_etcd_image
    if [ "$code" -ne 0 ]; then
        rm -rf "$work"
        start_timer
    fi
}
trap end_prepare EXIT
trap 'exit 143' HUP INT TERM
systemctl stop pulumi-nfv-etcd-snapshot.timer pulumi-nfv-etcd-snapshot.service 2> /dev/null || true
rm -rf "$work"
mkdir -m 700 "$work"
use_backup etcd
check_folder
unlock_own
needed=$(($(stat -c %s "$ETCD_DATA"/member/snap/db 2> /dev/null || echo 0) * 3 / 1024 + 204800))
free=$(df -Pk "$work" | awk 'END { print $4 }')
if [ "$free" -lt "$needed" ]; then refuse "it needs $((needed / 1024)) MB in $ETCD_DATA, $((free / 1024)) MB are free; nothing was changed"; fi
echo "restore $WORD: fetch the snapshot $SNAPSHOT"
if ! said=$(call_restic restore "$SNAPSHOT" --target "$work/stored" 2>&1); then refuse "restic failed: $(last_words); nothing was changed"; fi
stored=$(find "$work/stored" -name snapshot.db | head -n 1)
if [ -z "$stored" ]; then refuse "the snapshot $SNAPSHOT has no data of etcd; nothing was changed"; fi
if [ "$(about identity)" != "$(cluster_identity)" ]; then refuse "the snapshot $SNAPSHOT belongs to other keys than this machine has; nothing was changed"; fi
of_snapshot=$(about kubernetes) here=$(image_version kube-apiserver)
minor_of() { printf '%s\n' "$1" | cut -d . -f 2; }
# an API server does not read what a later minor has written, and may no longer read what an early one has
if [ -n "$of_snapshot" ] && [ -n "$here" ]; then
    behind=$(($(minor_of "$here") - $(minor_of "$of_snapshot")))
    if [ $behind -lt 0 ] || [ $behind -gt 1 ]; then
        refuse "the snapshot $SNAPSHOT is of Kubernetes $of_snapshot, and this machine's API server of $here: choose one of the same minor version or of the one before it; nothing was changed"
    fi
fi
mount_etcd_image "$(image_of_etcd "$manifests/etcd.yaml")" || refuse "etcd's programs are not there; nothing was changed"
if is_of_newer_etcd; then
    refuse "the snapshot $SNAPSHOT was made by etcd $of_snapshot, and this machine's etcd $here cannot read it: restore an older snapshot, or upgrade the cluster first; nothing was changed"
fi
prove_snapshot "$stored" || refuse "the snapshot $SNAPSHOT is damaged: $said; nothing was changed"
if ! said=$("$programs"/etcdutl snapshot restore "$stored" --name "$NAME" --initial-cluster "$MEMBERS" --initial-cluster-token "$TOKEN" \
    --initial-advertise-peer-urls "$PEER" --data-dir "$work/data" --bump-revision "$BUMP" --mark-compacted 2>&1); then
    refuse "etcdutl failed: $(printf '%s' "$said" | tail -n 3 | tr '\n' ' '); nothing was changed"
fi
rm -rf "$work/stored"
echo "$MEMBERS $BUMP" > "$work/plan"
sync -f "$work"
echo "$WORD $SNAPSHOT" > "$work/note.new"
sync -- "$work/note.new"
mv "$work/note.new" "$work/note"
sync -f "$work"
echo "restore $WORD: the data of $NAME is ready: revision $revision, $keys keys"

#!/bin/sh
# snapshot.sh: the program that makes a snapshot of etcd and stores it with restic. Arguments: "scheduled", or "asked" and the word of the program ("-": none).
# A scheduled one is made by the node with etcd's leader. The others wait for their turn, and make it only if the repository has none by then.
# constants: API_SERVER_FOLDER BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES ETCD_ASIDE ETCD_DATA ETCD_IMAGE_FOLDER KUBERNETES_FOLDER PKI_FOLDER
# constants: TURN_SECONDS VOLUMES_FOLDER

set -eu
. shell/lib/usual-path.sh

. storage/lib/restic.sh

. storage/lib/snapshots.sh

. member/lib/etcd-over-http.sh

. member/lib/etcd-image.sh

. etcd/lib/cluster-identity.sh

. member/lib/proven-snapshot.sh

. member/lib/node-version.sh

mode=$1 word=${2:--} backup=etcd began=$(date +%s)
work=$BACKUP_NOTES/work words=$BACKUP_NOTES/etcd.words.$$ manifest=$KUBERNETES_FOLDER/manifests/etcd.yaml
# why it failed stays until one succeeds: a service that fails at night goes unnoticed
note_end() {
    code=$?
    if [ "$code" -ne 0 ]; then
        { date -u +%FT%TZ; cat "$words"; } > "$BACKUP_NOTES/etcd.failed"
        cat "$words" >&3
    fi
    rm -f "$words"
    if [ -n "$holds_lock" ]; then
        unmount_etcd_image
        rm -rf "$work"
    fi
}
# a machine that has left its cluster, or is in the middle of a restore
if [ ! -e "$manifest" ]; then echo "this machine runs no etcd at the moment"; exit 0; fi
mkdir -p "$BACKUP_NOTES" "$BACKUP_CACHE"
chmod 700 "$BACKUP_NOTES"
holds_lock=
exec 3>&2
trap note_end EXIT
trap 'exit 143' TERM INT
exec 2> "$words"
use_backup "$backup"
owner=$(cat "$settings/owner")

is_leader() {
    said=$(etcd_http -d '{}' https://127.0.0.1:2379/v3/maintenance/status) || return 1
    leader=$(printf '%s\n' "$said" | sed -n 's/.*"leader":"\([0-9]*\)".*/\1/p')
    [ -n "$leader" ] && [ "$leader" = "$(printf '%s\n' "$said" | sed -n 's/.*"member_id":"\([0-9]*\)".*/\1/p')" ]
}
# a minute: the clocks of the nodes differ a little
is_made() {
    list_snapshots
    made=$(value_of time "$newest")
    [ -n "$made" ] && [ "$(date -d "$made" +%s)" -ge $((began - 60)) ]
}
if [ "$mode" = scheduled ] && ! is_leader; then
    sleep $((TURN_SECONDS * ($(cat "$settings/turn") + 1)))
    check_folder
    if is_made; then rm -f "$BACKUP_NOTES/etcd.failed"; exit 0; fi
fi
# one at a time on this machine
exec 8> "$BACKUP_NOTES/lock"
if ! flock -w 1800 8; then fail_backup "another snapshot has been running on this machine for half an hour"; fi
holds_lock=yes
check_folder
unlock_own
rm -rf "$work"
mkdir -m 700 "$work"
needed=$(($(stat -c %s "$ETCD_DATA"/member/snap/db) / 1024 + 204800))
free=$(df -Pk "$work" | awk 'END { print $4 }')
if [ "$free" -lt "$needed" ]; then fail_backup "a snapshot needs $((needed / 1024)) MB in $BACKUP_NOTES for a moment, $((free / 1024)) MB are free"; fi
mount_etcd_image "$(image_of_etcd "$manifest")" || fail_backup "etcd's programs are not there"
e() {
    timeout "$1" "$programs"/etcdctl --endpoints=https://127.0.0.1:2379 --cacert="$PKI_FOLDER"/etcd/ca.crt --cert="$PKI_FOLDER"/etcd/server.crt \
        --key="$PKI_FOLDER"/etcd/server.key "$2" "$3" ${4:+"$4"} 2>&1
}
# a read that etcd answers only when this member has all that was acknowledged before
if ! said=$(ETCDCTL_API=3 e 30 endpoint health); then fail_backup "etcd of this machine has no majority or does not answer: $(printf '%s' "$said" | tail -n 2 | tr '\n' ' ')"; fi
if ! said=$(ETCDCTL_API=3 e 1800 snapshot save "$work/snapshot.db"); then fail_backup "etcd gave no snapshot: $(printf '%s' "$said" | tail -n 2 | tr '\n' ' ')"; fi
prove_snapshot "$work/snapshot.db" || fail_backup "what etcd saved cannot be read again: $said"
identity=$(cluster_identity)
program=$(cat "$settings/program")
# kubelet follows the API server, which writes the objects
cat > "$work/about" <<ABOUT
cluster=$owner
node=$(hostname)
time=$(date -u +%FT%TZ)
revision=$revision
keys=$keys
sha256=$sum
identity=$identity
program=$program
etcd=$(etcd_version)
kubernetes=$(image_version kube-apiserver)
ABOUT
set -- --tag "$backup" --tag "identity@$identity" --tag "revision@$revision" --tag "of@$(hostname)"
if [ "$word" != - ]; then set -- "$@" --tag "asked@$word"; fi
if [ -n "$program" ]; then set -- "$@" --tag "program@$program"; fi
code=0
said=$(call_restic backup --quiet --json --host "$owner" "$@" "$work" 2>&1) || code=$?
snapshot=$(printf '%s\n' "$said" | sed -n 's/^{"message_type":"summary",.*"snapshot_id":"\([0-9a-f]*\)".*/\1/p' | tail -n 1)
if [ "$code" -ne 0 ]; then
    cause=$(last_words)
    # restic stores also what it could not read as a whole
    if [ -n "$snapshot" ] && ! call_restic forget --quiet "$snapshot" > /dev/null 2>&1; then cause="$cause; the incomplete snapshot $snapshot is still there: restic forget $snapshot"; fi
    fail_backup "restic failed: $cause"
fi
if [ -z "$snapshot" ]; then fail_backup "restic named no snapshot: $(last_words)"; fi
delete_older machine
rm -f "$BACKUP_NOTES/etcd.failed"
echo "$(date -u +%FT%TZ) $(printf %s "$snapshot" | cut -c 1-8) $revision" > "$BACKUP_NOTES/etcd.done"
echo "snapshot $(printf %s "$snapshot" | cut -c 1-8): revision $revision, $keys keys"

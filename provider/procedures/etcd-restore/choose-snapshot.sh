#!/bin/sh
# choose-snapshot.sh: prints "ID REVISION TIME" of the snapshot that is to be restored, if it is of this cluster and belongs to its keys. Changes nothing.
# inputs: IDENTITY (of the keys that the cluster will have; "-": those of this machine) SNAPSHOT (an id, or "latest")
# constants: API_SERVER_FOLDER BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES PKI_FOLDER RESTORE_FAILED VOLUMES_FOLDER

. shell/lib/usual-path.sh

. storage/lib/restic.sh

. storage/lib/snapshots.sh

. etcd/lib/cluster-identity.sh

refuse() {
    printf 'restore of etcd: %s; nothing was changed\n' "$1" >&2
    exit "$RESTORE_FAILED"
}
tag_of() { printf '%s\n' "$2" | tr '"' '\n' | sed -n "s/^$1@//p" | head -n 1; }
mkdir -p "$BACKUP_NOTES" "$BACKUP_CACHE"
use_backup etcd
owner=$(cat "$settings/owner")
check_folder
if ! ask_snapshots --no-lock --host "$owner" --tag etcd; then refuse "its repository cannot be read: $(last_words)"; fi
snapshots=$(printf '%s\n' "$said" | one_a_line)
if [ "$SNAPSHOT" = latest ]; then chosen=$(printf '%s\n' "$snapshots" | tail -n 1); else chosen=$(printf '%s\n' "$snapshots" | grep -F '"id":"'"$SNAPSHOT" | tail -n 1 || true); fi
if [ -z "$chosen" ]; then
    refuse "there is no snapshot $SNAPSHOT of $owner. There are: $(printf '%s\n' "$snapshots" | while read -r each; do [ -z "$each" ] || printf '%s of %s, ' "$(value_of short_id "$each")" "$(value_of time "$each" | cut -c 1-19)"; done)"
fi
of_snapshot=$(tag_of identity "$chosen")
own=$IDENTITY advice="Bring back the Pulumi state of that time first"
if [ "$own" = - ]; then
    own=$(cluster_identity)
    advice="One from before a rotation of the encryption key comes back only onto new machines, with the Pulumi state of its time: docs/rotation.md"
fi
if [ "$of_snapshot" != "$own" ]; then
    refuse "the snapshot $(value_of short_id "$chosen") belongs to other keys ($of_snapshot) than this cluster has ($own): its Secrets and tokens could not be read. $advice"
fi
echo "$(value_of short_id "$chosen") $(tag_of revision "$chosen") $(value_of time "$chosen" | cut -c 1-19)Z"

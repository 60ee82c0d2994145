#!/bin/sh
# backup.sh: the program that makes the backup named by its argument and deletes those that are not to be kept. systemd starts it, one at a time for each name.
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_CACHE BACKUP_FAILED VOLUMES_FOLDER

set -eu
. shell/lib/usual-path.sh

. storage/lib/restic.sh

# why it failed stays until one succeeds: nobody sees a service fail at night
note_end() {
    code=$?
    if [ "$code" -ne 0 ]; then
        { date -u +%FT%TZ; cat "$words"; } > "$BACKUP_NOTES/$backup.failed"
        cat "$words" >&3
    fi
    rm -f "$words"
}
mkdir -p "$BACKUP_NOTES" "$BACKUP_CACHE"
use_backup "$1"
words=$(mktemp)
trap note_end EXIT
trap 'exit 143' TERM INT
exec 3>&2 2> "$words"

owner=$(cat "$settings/owner")
while read -r path; do
    if ! mountpoint -q "$path"; then fail_backup "$path is not mounted: an empty folder would be saved in its place"; fi
    set -- "$@" "$path"
done < "$settings/paths"
shift
check_folder
# a repository that is missing at night is lost, or its disk is away: no other one is made
unlock_own
if ! said=$(call_restic backup --quiet --json --one-file-system --host "$owner" --tag "$backup" "$@" 2>&1); then
    fail_backup "restic failed: $(last_words)"
fi
snapshot=$(printf '%s\n' "$said" | sed -n 's/.*"snapshot_id":"\([0-9a-f]*\)".*/\1/p' | tail -n 1)
if [ -z "$snapshot" ]; then fail_backup "restic named no snapshot: $(last_words)"; fi
keep=$(cat "$settings/keep")
# shellcheck disable=SC2086 # one word for each option
if ! said=$(call_restic forget --quiet --host "$owner" --tag "$backup" --group-by host,tags $keep --prune 2>&1); then
    fail_backup "it was made (snapshot $snapshot), but older ones were not deleted: $(last_words)"
fi
rm -f "$BACKUP_NOTES/$backup.failed"
echo "$(date -u +%FT%TZ) $snapshot" > "$BACKUP_NOTES/$backup.done"

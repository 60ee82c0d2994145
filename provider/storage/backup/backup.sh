#!/bin/sh
# backup.sh: the program that makes the backup named by its argument and deletes those that are not to be kept. systemd starts it, one at a time for each name.
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_CACHE BACKUP_FAILED VOLUMES_FOLDER

set -eu
. shell/lib/usual-path.sh

. storage/lib/restic.sh

. storage/lib/snapshots.sh

. storage/lib/origin.sh

# why it failed stays until one succeeds: a service that fails at night goes unnoticed
note_end() {
    code=$?
    if [ "$code" -ne 0 ]; then
        { date -u +%FT%TZ; cat "$words"; } > "$BACKUP_NOTES/$backup.failed"
        cat "$words" >&3
    fi
    rm -f "$words"
}
backup=$1
# left behind by a run that was killed: lib/backup-state.sh
words=$BACKUP_NOTES/$backup.words
exec 3>&2
trap note_end EXIT
trap 'exit 143' TERM INT
mkdir -p "$BACKUP_NOTES" "$BACKUP_CACHE"
exec 2> "$words"
use_backup "$backup"
# for those who want to unmount an export meanwhile: lib/unmount.sh
cp "$settings/paths" "$BACKUP_NOTES/$backup.saving"

# one line for each export: which mount of which folder it is
look_at_exports() {
    while read -r path; do
        if ! mountpoint -q "$path"; then fail_backup "$path is not mounted: an empty folder would be saved in its place"; fi
        # the folder was deleted below its mount, which shows it as empty
        links=$(stat -c %h "$path") || fail_backup "$path cannot be looked at"
        if [ "$links" = 0 ]; then fail_backup "$path is empty because its folder is gone: bring it back, and mount it again"; fi
        echo "$path $(stat -c %d:%i "$path") $(awk -v path="$path" '$5 == path { print $1 }' /proc/self/mountinfo)"
    done < "$settings/paths"
}
# restic ends with 3 also for files that were deleted after it had listed their folder. All its other lines are failures
only_vanished() {
    printf '%s\n' "$said" | grep -q '^{"message_type":"error",' || return 1
    printf '%s\n' "$said" | plain_end | while read -r line; do
        # restic writes three characters as for HTML
        item=$(printf '%s\n' "$line" | sed -n -e 's/\\u0026/\&/g' -e 's/\\u003c/</g' -e 's/\\u003e/>/g' -e 's/.*"item":"\(.*\)"}$/\1/p')
        case $line in
            '' | '{"message_type":"summary",'* | 'Warning: at least one source file could not be read') continue ;;
            '{"message_type":"error","error":{"Op":'*'"Err":2},"during":'*) ;;
            '{"message_type":"error","error":{"message":'*': no such file or directory"},"during":'*) ;;
            # 0.14 does not say why. A folder that was deleted is one of the cases
            '{"message_type":"error","error":{},"during":'*)
                case $item in '' | *\\*) exit 1 ;; esac
                case $(LC_ALL=C stat -- "$item" 2>&1) in *': No such file or directory') ;; *) exit 1 ;; esac
                ;;
            *) exit 1 ;;
        esac
        if grep -qxF -- "$item" "$settings/paths"; then exit 1; fi
    done
}
# The note is on the disk before the snapshot can be in the repository, and before older ones are deleted
note_unproven() {
    if [ -n "$1" ]; then
        echo "$1" > "$BACKUP_NOTES/$backup.incomplete"
        sync -- "$BACKUP_NOTES/$backup.incomplete"
    else
        rm -f "$BACKUP_NOTES/$backup.incomplete"
    fi
    sync -- "$BACKUP_NOTES"
}
# An incomplete snapshot stays, for the case that its disk dies, but under a tag of its own: `latest` and `keep` do not see it
set_aside() {
    note_unproven "$1"
    said=$(call_restic tag --quiet --set "$backup.incomplete" "$1" 2>&1) || return 1
    answer=$said
    said=$(call_restic forget --quiet --host "$owner" --tag "$backup.incomplete" --group-by host,tags --keep-last 1 2>&1) || return 1
    # `restic tag` ends with 0 also where it changed nothing
    ask_snapshots --host "$owner" --tag "$backup" || return 1
    case $said in *'"id":"'"$1"*) said=${answer:-restic says no cause}; return 1 ;; esac
    note_unproven ""
}
fail_incomplete() {
    cause=$1
    if [ -n "$snapshot" ] && ! set_aside "$snapshot"; then
        cause="$cause; and its incomplete snapshot $snapshot could not be set aside, restores of \"latest\" would take it: $(last_words)"
    fi
    fail_backup "$cause"
}

# A backup of another volume, such as a former server's disk or a new and empty one, would be "latest", and would push the last good one of the day out
look_at_origin() {
    volume=$(volume_of "$path")
    if [ -z "$volume" ]; then fail_backup "$path is on no volume"; fi
    id=$(id_of "$volume")
    last=$(origins_of "$path" "$snapshots" | tail -n 1)
    changed=
    if [ -n "$last" ] && [ "$last" != "$path@$id" ] && ! is_restored "$last" "$volume"; then
        changed="is on another volume than when it was saved last"
    elif is_empty; then
        changed="has no files any more"
    fi
    if [ -n "$changed" ] && has_saved_files; then fail_backup "$path $changed. Nothing was saved or deleted. $ways"; fi
    if [ -n "$id" ]; then tags="$tags --tag $path@$id"; fi
    case " $volumes " in *" $volume "*) return 0 ;; esac
    volumes="$volumes $volume"
    room=$((room + $(df --output=size -B1 "$volume" | tail -n 1)))
}
ways='If the volume was lost, bring its data back (restores) into any folder of the new volume. If this is a former server, switch it off. To begin without the former data, give the backup another name: the former snapshots stay'
is_empty() {
    found=$(find "$path" -xdev ! -type d -print -quit) || return 1
    [ -z "$found" ]
}
has_saved_files() {
    last=$(printf '%s\n' "$snapshots" | grep -F -- "\"$path\"" | tail -n 1)
    if [ -z "$last" ]; then return 1; fi
    measured=$(measure "$(value_of id "$last")") || fail_backup "restic does not tell what the last snapshot has of $path"
    # shellcheck disable=SC2086 # three numbers
    set -- $measured
    [ "$2" -gt 0 ]
}

owner=$(cat "$settings/owner")
check_folder
# a repository that is missing at night is lost, or its disk is away: no other one is made
unlock_own
snapshots=
case $(cat "$BACKUP_NOTES/$backup.incomplete" 2> /dev/null || true) in run@*) list_snapshots ;; esac
snapshot=$(unproven_of "$snapshots")
if [ -n "$snapshot" ] && ! set_aside "$snapshot"; then
    fail_backup "the incomplete snapshot $snapshot of a former run cannot be set aside: $(last_words)"
fi
# not before: without a volume nothing is mounted, and the restore that would bring it back refuses an incomplete snapshot
exports=$(look_at_exports)
list_snapshots
tags=
volumes=
room=0
while read -r path; do
    look_at_origin < /dev/null
    set -- "$@" "$path"
done < "$settings/paths"
shift
run=run@$(cut -c 1-8 /proc/sys/kernel/random/uuid)
note_unproven "$run"
code=0
# shellcheck disable=SC2086 # names and paths without spaces
said=$(call_restic backup --quiet --json --one-file-system --host "$owner" --tag "$backup" --tag "$run" $tags "$@" 2>&1) || code=$?
snapshot=$(printf '%s\n' "$said" | sed -n 's/^{"message_type":"summary",.*"snapshot_id":"\([0-9a-f]*\)".*/\1/p' | tail -n 1)
size=$(printf '%s\n' "$said" | sed -n 's/^{"message_type":"summary",.*"total_bytes_processed":\([0-9]*\).*/\1/p' | tail -n 1)
if [ "$code" -ne 0 ] && { [ "$code" -ne 3 ] || ! only_vanished; }; then fail_incomplete "restic failed: $(last_words)"; fi
if [ -z "$snapshot" ]; then fail_backup "restic named no snapshot: $(last_words)"; fi
# restic skips an export that is missing, and one that was unmounted meanwhile looks like deleted files
if printf '%s\n' "$said" | grep -q '^/.* does not exist, skipping$' || [ "$(look_at_exports)" != "$exports" ]; then
    fail_incomplete "an export was unmounted or mounted again while it was saved"
fi
note_unproven ""
delete_older server
rm -f "$BACKUP_NOTES/$backup.failed"
echo "$(date -u +%FT%TZ) $snapshot" > "$BACKUP_NOTES/$backup.done"
# restic says how much it has read, and reads files with several names several times
if [ "${size:-0}" -gt "$room" ]; then size=$(restored_bytes "$snapshot" || echo "$size"); fi
if [ "${size:-0}" -gt "$room" ]; then
    echo "warning: its files have $size bytes, more than the $room bytes of their volumes: they are sparse, and restic before 0.15 cannot bring them back there" | tee -a "$BACKUP_NOTES/$backup.done"
fi

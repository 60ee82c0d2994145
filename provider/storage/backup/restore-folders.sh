#!/bin/sh
# restore-folders.sh: brings folders back from backups, each into a new folder of a volume. It is restored beside, proven, and then takes its name at once.
# A note on the volume keeps it from being done twice, also after another server has the volume.
# inputs: RESTORES (one a line: NAME BACKUP SNAPSHOT PATH VOLUME FOLDER OWNER)
# constants: BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES VOLUMES_FOLDER RESTORE_FAILED FOREIGN_VOLUME

. shell/lib/usual-path.sh

. storage/lib/folder.sh

. storage/lib/restic.sh

. storage/lib/snapshots.sh

. storage/lib/origin.sh

. storage/lib/staging.sh

refuse() {
    echo "restore $name: $1" >&2
    exit "$RESTORE_FAILED"
}
# what was restored would fill a volume that others use. After a kill the next run does it
end_restore() {
    code=$?
    if [ "$code" -ne 0 ] && [ -n "$building" ]; then drop_staging "$place" "$name"; fi
}
building=
trap end_restore EXIT
trap 'exit 143' HUP INT TERM

# in a subshell: goes to the folder around the target, and makes it. Each part from within the one before: a client may put a link in its place at any time
enter_parent() {
    here=$place
    parts=$folder
    cd "$here" || exit 1
    while [ "${parts#*/}" != "$parts" ]; do
        part=${parts%%/*}
        parts=${parts#*/}
        here=$here/$part
        if [ ! -d "./$part" ]; then mkdir "./$part" || exit 1; fi
        cd "./$part" || exit 1
        if [ "$(pwd -P)" != "$here" ]; then refuse "$here leads to $(pwd -P)"; fi
    done
}
take_name() {
    look_at_target
    (
        enter_parent
        if [ -d "./$parts" ]; then rmdir "./$parts" 2> /dev/null || true; fi
        if [ -e "./$parts" ] || [ -L "./$parts" ]; then refuse "the folder $folder of volume $volume has files: name another one"; fi
        # fails if something has taken the name meanwhile
        mv -T "$staging$path" "./$parts"
    )
    building=
    sync -f "$place"
    rm -rf "$staging"
}
look_at_target() {
    if leads_out "$target"; then refuse "$target leads out of its volume: $(readlink -m "$target")"; fi
    if [ -e "$target" ] && { [ ! -d "$target" ] || holds_files "$target"; }; then
        refuse "the folder $folder of volume $volume has files: name another one"
    fi
}
look_first() {
    if ! mountpoint -q "$place"; then refuse "the volume $volume is not mounted at $place"; fi
    if [ ! -e "$note" ]; then
        look_at_target
    elif [ "$(cat "$note")" != "$wish" ]; then
        refuse "it was done already, as: $(cat "$note"). Give another one another name"
    fi
}
refuse_unproven() {
    unproven=$(unproven_of "$snapshots")
    case $said in *'"id":"'"${unproven:-none}"*) ;; *) return 0 ;; esac
    case $snapshot,$unproven in
        latest,* | "$unproven"*,* | *,"$snapshot"*) refuse "the snapshot $unproven is incomplete, or its backup was killed, or still runs: the next backup sets it aside if it must. Another snapshot can be named" ;;
    esac
}
# an id alone would bring back any folder of any server
look_at_snapshot() {
    if ! ask_snapshots --host "$owner" --tag "$backup" --path "$path"; then
        # one that is named is not lost with another one that is damaged
        case $snapshot,$listed in
            latest,*) refuse "restic failed: $(last_words)" ;;
            *'"id":"'"$snapshot"*) said=$listed ;;
            *) refuse "restic failed: $(last_words)" ;;
        esac
    fi
    snapshots=$(printf '%s\n' "$said" | one_a_line)
    refuse_unproven
    case $snapshot in latest) id='' ;; *) id=$snapshot ;; esac
    case $said in
        *'"id":"'"$id"*) ;;
        *) refuse "backup $backup of $owner has no snapshot $snapshot with $path. Those that failed do not count" ;;
    esac
    newest=$(printf '%s\n' "$snapshots" | tail -n 1)
    made=$(value_of time "$newest")
    if [ "$snapshot" = latest ] && [ -n "$made" ] && [ "$(date -d "$made" +%s)" -gt $(($(date +%s) + 86400)) ]; then
        refuse "the latest snapshot, $(value_of short_id "$newest"), has the time $made, which is to come: a clock was wrong, and newer ones may seem older. Name the right one (snapshot): restic snapshots --host $owner --tag $backup"
    fi
    chosen=$newest
    if [ -n "$id" ]; then chosen=$(printf '%s\n' "$snapshots" | grep -F '"id":"'"$id" | tail -n 1); fi
    # a backup may make another latest one meanwhile
    chosen_id=$(value_of id "$chosen")
    origins=$(origins_of "$path" "$snapshots")
}
look_at_space() {
    measured=$(measure "$chosen_id") || refuse "restic does not tell how much the snapshot $snapshot holds"
    # shellcheck disable=SC2086 # three numbers
    set -- $measured
    needed=$1
    if [ "$snapshot" = latest ] && [ "$2" = 0 ]; then
        refuse "the latest snapshot has no files in $path. Name another one (snapshot): restic snapshots --host $owner --tag $backup"
    fi
    free=$(df --output=avail -B1 "$place" | tail -n 1)
    free=$((free - free / 100))
    sparse=
    if restic restore --help 2>&1 | grep -q -e '--sparse'; then sparse=--sparse; fi
    if [ "$needed" -gt "$free" ]; then needed=$((needed - $(further_names "$3"))); fi
    if [ "$needed" -le "$free" ]; then return 0; fi
    if [ -z "$sparse" ]; then
        refuse "it needs $needed bytes, and the volume $volume has $free bytes to spare. If that is so because of sparse files: $(restic version | cut -d ' ' -f 1-2) fills their holes, and 0.15 or newer does not"
    fi
    least=$(least_bytes) || refuse "restic does not tell how much the snapshot $snapshot holds"
    if [ "$least" -gt "$free" ]; then refuse "it needs $least bytes at least, and the volume $volume has $free bytes to spare"; fi
    echo "restore $name: warning: its files have $needed bytes, and the volume $volume has $free bytes to spare: it fits only if they are sparse"
}
# Bytes that PLAIN counts more than once, because files have several names. Of several exports together restic says nothing about one
further_names() {
    whole=
    if is_alone; then whole=$(restored_bytes "$chosen_id" || true); fi
    if [ -n "$whole" ] && [ "$1" -gt "$whole" ]; then echo $(($1 - whole)); else echo 0; fi
}
is_alone() { case $chosen in *'"paths":["'"$path"'"]'*) ;; *) return 1 ;; esac; }
# What is stored of it: holes and what occurs twice are not, and the rest is compressed. Of several exports together it says nothing about one
least_bytes() {
    if ! is_alone; then echo 0; return; fi
    call_restic stats --json --mode raw-data "$chosen_id" | sed -n -e '/"snapshots_count":0/d' -e 's/.*"total_size":\([0-9]*\).*/\1/p' | grep .
}
bring_back() {
    if [ -e "$note" ]; then
        # killed between the note and its name
        if [ -d "$staging$path" ]; then
            building=yes
            take_name
        fi
        rm -rf "$staging"
        return 0
    fi
    use_backup "$backup"
    check_folder
    unlock_own
    rm -rf "$staging"
    look_at_snapshot
    look_at_space
    building=yes
    mkdir -p "$staging" "${note%/*}"
    chmod 700 "$staging"
    echo "restore $name: $snapshot of $path ..."
    # shellcheck disable=SC2086 # an option or nothing
    if ! said=$(call_restic restore "$chosen_id" --host "$owner" --tag "$backup" --path "$path" --include "$path" --target "$staging" --verify $sparse 2>&1); then
        refuse "restic failed: $(last_words)"
    fi
    if [ ! -d "$staging$path" ]; then refuse "the snapshot $snapshot has no folder $path"; fi
    sync -f "$place"
    look_at_target
    # all of them: a volume may have been lost twice
    for origin in $origins; do note_restored "$origin" "$place"; done
    echo "$wish" > "$note.new"
    sync -- "$note.new"
    mv "$note.new" "$note"
    take_name
}
drop_unwanted() {
    for staging in "$VOLUMES_FOLDER"/*/.pulumi-nfv/restore-*; do
        [ -d "$staging" ] || continue
        place=${staging%/.pulumi-nfv/*}
        name=${staging##*/restore-}
        if ! printf '%s\n' "$RESTORES" | awk -v name="$name" -v volume="${place##*/}" '$1 == name && $5 == volume { found = 1 } END { exit !found }'; then
            drop_staging "$place" "$name"
        fi
    done
}
each_restore() {
    while read -r name backup snapshot path volume folder owner; do
        [ -n "$name" ] || continue
        place=$VOLUMES_FOLDER/$volume
        target=$place/$folder
        staging=$place/.pulumi-nfv/restore-$name
        note=$place/.pulumi-nfv/restores/$name
        wish="$backup $snapshot $path $folder $owner"
        "$1" < /dev/null
    done <<RESTORES
$RESTORES
RESTORES
}
drop_unwanted
each_restore look_first
each_restore bring_back

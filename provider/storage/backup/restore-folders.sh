#!/bin/sh
# restore-folders.sh: brings folders back from backups, each into a new folder of a volume. It is restored beside, proven, and then takes its name at once.
# A note on the volume keeps it from being done twice, also after another server has the volume.
# inputs: RESTORES (one a line: NAME BACKUP SNAPSHOT PATH VOLUME FOLDER OWNER)
# constants: BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES VOLUMES_FOLDER RESTORE_FAILED FOREIGN_VOLUME

. shell/lib/usual-path.sh

. storage/lib/folder.sh

. storage/lib/restic.sh

refuse() {
    echo "restore $name: $1" >&2
    exit "$RESTORE_FAILED"
}
take_name() {
    if [ -d "$target" ] && ! holds_files "$target"; then rmdir "$target" 2> /dev/null || true; fi
    if [ -e "$target" ]; then refuse "the folder $folder of volume $volume has files: name another one"; fi
    mkdir -p "${target%/*}"
    mv -T "$staging$path" "$target"
    sync -f "$place"
    rm -rf "$staging"
}
look_first() {
    if ! mountpoint -q "$place"; then refuse "the volume $volume is not mounted at $place"; fi
    if leads_out "$target"; then refuse "$target leads out of its volume: $(readlink -m "$target")"; fi
    if [ -e "$note" ]; then
        if [ "$(cat "$note")" != "$wish" ]; then refuse "it was done already, as: $(cat "$note"). Give another one another name"; fi
    elif [ -e "$target" ] && { [ ! -d "$target" ] || holds_files "$target"; }; then
        refuse "the folder $folder of volume $volume has files: name another one"
    fi
}
bring_back() {
    if [ -e "$note" ]; then
        # killed between the note and its name
        if [ -d "$staging$path" ]; then take_name; fi
        rm -rf "$staging"
        return 0
    fi
    use_backup "$backup"
    check_folder
    rm -rf "$staging"
    mkdir -p "$staging" "${note%/*}"
    chmod 700 "$staging"
    echo "restore $name: $snapshot of $path ..."
    unlock_own
    if ! said=$(call_restic restore "$snapshot" --host "$owner" --tag "$backup" --path "$path" --include "$path" --target "$staging" --verify 2>&1); then
        refuse "restic failed: $(last_words)"
    fi
    if [ ! -d "$staging$path" ]; then refuse "the snapshot $snapshot has no folder $path"; fi
    sync -f "$place"
    echo "$wish" > "$note.new"
    sync -- "$note.new"
    mv "$note.new" "$note"
    take_name
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
each_restore look_first
each_restore bring_back

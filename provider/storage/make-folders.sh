#!/bin/sh
# make-folders.sh: makes the folders that are exported, each within its volume, and binds them to their paths. Whatever is in the way is refused before the
# first change: a volume that is not mounted, a folder that leads out of it, a path where something of others is mounted or whose files would be hidden,
# another folder for an export that a backup is saving.
# inputs: FOLDERS (one a line: PATH FOLDER UID GID MODE)
# constants: FOREIGN_VOLUME VOLUMES_FOLDER STOPPED_FILE BACKUP_NOTES

. shell/lib/usual-path.sh

. storage/lib/fstab.sh

. storage/lib/unmount.sh

. storage/lib/folder.sh

refuse() {
    echo "$path: $1" >&2
    exit "$FOREIGN_VOLUME"
}
is_same() { [ "$(stat -c %d:%i "$path")" = "$(stat -c %d:%i "$folder")" ]; }
# the kernel's server holds what it exports
close_export() {
    command -v exportfs >/dev/null || return 0
    exportfs -s 2>/dev/null | awk -v path="$path" '$1 == path { sub(/\(.*/, "", $2); print $2 }' |
        while read -r client; do
            case $client in *:*) client="[$client]" ;; esac
            exportfs -u "$client:$path" 2>/dev/null || true
        done
}
has_line() { awk -v path="$path" '$2 == path { found = 1 } END { exit !found }'; }
look_first() {
    if ! mountpoint -q "$place"; then
        echo "$path: its volume is not mounted at $place" >&2
        exit 1
    fi
    if leads_out "$folder"; then refuse "$folder leads out of its volume: $(readlink -m "$folder")"; fi
    if our_mounts | has_line; then
        if mountpoint -q "$path" && ! is_same 2> /dev/null; then refuse_saved "$path"; fi
        return 0
    fi
    if other_mounts | has_line; then refuse "/etc/fstab has a line of somebody else for it"; fi
    if mountpoint -q "$path"; then
        refuse "something else is mounted there: $(awk -v path="$path" '$5 == path { print $(NF - 1) }' /proc/self/mountinfo | tail -n 1)"
    fi
    if [ -n "$(ls -A "$path" 2>/dev/null)" ]; then
        refuse "this folder of the machine is not empty, and the export would hide its files"
    fi
}
bind() {
    make_folder "$folder" "$place" "$uid:$gid" "$mode"
    mkdir -p "$path"
    line="$folder $path none bind,nofail,x-systemd.requires-mounts-for=$place 0 0"
    # one line for each path: mount would take the first, which is that of a former folder
    if ! our_mounts | grep -qxF -- "$line" || [ "$(our_mounts | awk -v path="$path" '$2 == path' | wc -l)" != 1 ]; then
        write_mounts "$(our_mounts | awk -v path="$path" 'NF > 0 && $2 != path'; echo "$line")"
    fi
    if mountpoint -q "$path" && ! is_same; then
        close_export
        unmount_served "$path"
    fi
    if ! mountpoint -q "$path"; then mount "$path"; fi
    if ! is_same; then
        echo "$path: it is not $folder, although that was mounted there" >&2
        exit 1
    fi
}
each_folder() {
    while read -r path folder uid gid mode; do
        [ -n "$path" ] || continue
        place=$(printf '%s' "$folder" | cut -d / -f 1-4)
        "$1" < /dev/null
    done <<FOLDERS
$FOLDERS
FOLDERS
}
each_folder look_first
each_folder bind
if command -v exportfs >/dev/null; then exportfs -ra || true; fi
start_again

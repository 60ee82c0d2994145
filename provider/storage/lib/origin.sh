#!/bin/sh
# origin.sh: functions that tell from which volume a snapshot was made. It has a tag PATH@ID for each export; ID stands in a file of the volume. So a volume
# that was made again has another ID, and so has the disk of a former server. The UUID cannot tell them apart: it is made of owner and name.
# Wants snapshots.sh, and takes SNAPSHOTS as that makes them, one a line.
# origins_of PATH SNAPSHOTS: the tags that they have for PATH, one a line, that of the newest last. A volume that was full has no ID to name.
# volume_of PATH: where the volume of an export is mounted. id_of VOLUME: its ID, made if it has none; nothing if the volume is full or read-only.
# unproven_of SNAPSHOTS: the id of the one that is incomplete, or whose backup was killed before that was known. Nothing: there is none.
# is_restored ORIGIN VOLUME: whether a restore brought data of that volume into this one. note_restored ORIGIN VOLUME.
# measure ID: prints BYTES FILES PLAIN of $path in a snapshot: files in blocks of 4096 bytes; folders are not counted as files;
# PLAIN: the bytes of files as they are. A file with several names counts once if restic says its inode (0.14 does not).
# restored_bytes ID: the bytes of files of a whole snapshot, in which such a file counts once.
# constants: VOLUMES_FOLDER BACKUP_NOTES

# another export's path may end with this one
origins_of() { printf '%s\n' "$2" | tr '"' '\n' | awk -v tag="$1@" 'index($0, tag) == 1'; }
# the note has the id, or the tag of a run that ended without a word
# shellcheck disable=SC2154 # of the script
unproven_of() {
    unproven=$(cat "$BACKUP_NOTES/$backup.incomplete" 2> /dev/null || true)
    case $unproven in
        run@*) value_of id "$(printf '%s\n' "$1" | grep -F -- "\"$unproven\"" | tail -n 1)" ;;
        *) printf '%s\n' "$unproven" ;;
    esac
}
volume_of() {
    device=$(stat -c %d "$1")
    for each in "$VOLUMES_FOLDER"/*; do
        if mountpoint -q "$each" && [ "$(stat -c %d "$each")" = "$device" ]; then echo "$each"; return; fi
    done
}
id_of() {
    id_file=$1/.pulumi-nfv/id
    if [ ! -s "$id_file" ]; then
        mkdir -p "${id_file%/*}" || true
        if cat /proc/sys/kernel/random/uuid > "$id_file.$$" && sync -- "$id_file.$$"; then
            # ln fails if another backup was faster; an empty one is what a power cut has left
            if [ -e "$id_file" ] && [ ! -s "$id_file" ]; then mv -fT "$id_file.$$" "$id_file" || true; else ln "$id_file.$$" "$id_file" || true; fi
        fi
        rm -f "$id_file.$$"
        sync -- "${id_file%/*}" || true
    fi
    cat "$id_file" || true
}
is_restored() { grep -qxF -- "$1" "$2/.pulumi-nfv/restored" 2> /dev/null; }
note_restored() {
    is_restored "$1" "$2" || echo "$1" >> "$2/.pulumi-nfv/restored"
    sync -- "$2/.pulumi-nfv/restored"
}
# restic 0.14 ends with 0 also where it cannot read the snapshot: it prints nothing then
# shellcheck disable=SC2154 # of the script
measure() {
    { call_restic ls --json --recursive "$1" "$path" || echo failed; } | awk '
        /^failed$/ { failed = 1 }
        /"struct_type":"snapshot"/ { shown = 1 }
        /"struct_type":"node"/ && !/"type":"dir"/ { files++ }
        /"type":"file"/ && match($0, /"inode":[1-9][0-9]*/) && seen[substr($0, RSTART, RLENGTH)]++ { next }
        match($0, /,"size":[0-9]+,/) {
            size = substr($0, RSTART + 8, RLENGTH - 9)
            plain += size
            sum += int((size + 4095) / 4096) * 4096
            next
        }
        { sum += 4096 }
        END { if (failed || !shown) exit 1; printf "%.0f %d %.0f\n", sum, files, plain }'
}
restored_bytes() { call_restic stats --json --mode restore-size "$1" | sed -n -e '/"snapshots_count":0/d' -e 's/.*"total_size":\([0-9]*\).*/\1/p' | grep .; }

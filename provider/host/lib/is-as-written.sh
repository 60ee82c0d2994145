#!/bin/sh
# is-as-written.sh: is_as_written FILE succeeds if the file is gone, or if one of our steps wrote it and it has not changed
# since. Otherwise it prints that the file stays.
# inputs: WRITTEN (one file a line: STEP SUM PATH)
# constants: INTERFACE_PLACEHOLDER ORIGINALS_FOLDER STATE_FOLDER

is_as_written() {
    line=$(printf '%s\n' "$WRITTEN" | awk -v file="$1" '$3 == file')
    [ -n "$line" ] && [ -e "$STATE_FOLDER/journal/${line%% *}" ] || return 1
    [ -e "$1" ] || return 0
    case $line in
        *" template "*)
            for interface in $(ip -o link | awk '{ sub("@.*", "", $2); sub(":$", "", $2); print $2 }'); do
                ! sed "s/$INTERFACE_PLACEHOLDER/$interface/" "$STATE_FOLDER/${1##*/}" 2>/dev/null | cmp -s - "$1" || return 0
            done ;;
        *" $(sha256sum < "$1" | cut -d ' ' -f 1) "*) return 0 ;;
    esac
    cmp -s "$ORIGINALS_FOLDER$1" "$1" || echo "stays: $1: it was changed since we wrote it"
    return 1
}

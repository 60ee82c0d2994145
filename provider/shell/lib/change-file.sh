#!/bin/sh
# change-file.sh: functions that change files of others. Do not call change_file with `||` or in an `if`: that switches `set -e` off.
# change_file FILE COMMAND…: FILE gets what COMMAND makes of it (standard input to standard output). Written beside, synced and renamed. A mount, as
# /etc/hosts is in a container, cannot be renamed over: then it is written in place, and the next call ends a write that a full disk or a power cut ended.
# without_block BEGIN END: filters a block of ours out. Without its last line nothing is known to be ours but its first.

change_file() {
    changed=$(readlink -f "$1")
    shift
    if [ -e "$changed.nfv-whole" ]; then
        if head -c "$(wc -c < "$changed")" "$changed.nfv-whole" | cmp -s - "$changed"; then cat "$changed.nfv-whole" > "$changed"; fi
        rm -f "$changed.nfv-whole"
    fi
    rm -f "$changed.nfv-new"
    cp -a "$changed" "$changed.nfv-new"
    "$@" < "$changed" > "$changed.nfv-new"
    if cmp -s "$changed" "$changed.nfv-new"; then
        rm -f "$changed.nfv-new"
        return 0
    fi
    sync -- "$changed.nfv-new"
    if ! mv -fT "$changed.nfv-new" "$changed" 2>/dev/null; then
        mv -fT "$changed.nfv-new" "$changed.nfv-whole"
        cat "$changed.nfv-whole" > "$changed"
        sync -- "$changed"
        rm -f "$changed.nfv-whole"
    fi
    sync -- "${changed%/*}"
}
without_block() {
    awk -v begin="$1" -v end="$2" '
        $0 == begin { printf "%s", held; held = ""; open = 1; next }
        open && $0 == end { held = ""; open = 0; next }
        open { held = held $0 "\n"; next }
        { print }
        END { printf "%s", held }'
}

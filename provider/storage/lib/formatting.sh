#!/bin/sh
# formatting.sh: functions for two notes about a volume: that its mkfs has begun on a disk that was proven empty, and that it was made.
# The first holds until the volume carries its mark, and only until the next boot: after a power failure a person decides.
# constants: FORMATTING_FOLDER MADE_FOLDER
# has_begun NAME UUID, note_begin NAME UUID, forget_begin NAME, was_made NAME UUID, note_made NAME UUID.

boot_id() { cat /proc/sys/kernel/random/boot_id; }
has_begun() { [ "$(cat "$FORMATTING_FOLDER/$1" 2>/dev/null || true)" = "$2 $(boot_id)" ]; }
note_begin() {
    mkdir -p "$FORMATTING_FOLDER"
    echo "$2 $(boot_id)" > "$FORMATTING_FOLDER/$1"
    sync -- "$FORMATTING_FOLDER/$1" "$FORMATTING_FOLDER"
}
was_made() { [ "$(cat "$MADE_FOLDER/$1" 2>/dev/null || true)" = "$2" ]; }
note_made() {
    ! was_made "$1" "$2" || return 0
    mkdir -p "$MADE_FOLDER"
    echo "$2" > "$MADE_FOLDER/$1"
    sync -- "$MADE_FOLDER/$1" "$MADE_FOLDER"
}
# on the disk before anything is exported: a note that came back could cost data
forget_begin() {
    [ -e "$FORMATTING_FOLDER/$1" ] || return 0
    rm -f "$FORMATTING_FOLDER/$1"
    sync -- "$FORMATTING_FOLDER"
}

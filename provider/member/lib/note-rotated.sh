#!/bin/sh
# note-rotated.sh: note_rotated KIND notes that this cluster has left its first key of that kind, before that goes: a state from before must not bring it back.
# A machine that joins gets the notes of another one. add_rotated LINE adds one; it is whole and on the disk, or not there.
# constants: MEMBER_FILE ROTATED_FILE

add_rotated() {
    if grep -qxF -e "$1" "$ROTATED_FILE" 2>/dev/null; then return 0; fi
    { cat "$ROTATED_FILE" 2>/dev/null || :; printf '%s\n' "$1"; } > "$ROTATED_FILE".new
    sync -- "$ROTATED_FILE".new
    mv "$ROTATED_FILE".new "$ROTATED_FILE"
}
note_rotated() { add_rotated "$(cat "$MEMBER_FILE") $1"; }

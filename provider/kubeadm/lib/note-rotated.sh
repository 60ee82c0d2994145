#!/bin/sh
# note-rotated.sh: note_rotated KIND notes that this cluster has left its first key of that kind, before that goes: a state from before must not bring it back.
# constants: MEMBER_FILE ROTATED_FILE

note_rotated() {
    line="$(cat "$MEMBER_FILE") $1"
    grep -qxF -e "$line" "$ROTATED_FILE" 2>/dev/null || printf '%s\n' "$line" >> "$ROTATED_FILE"
}

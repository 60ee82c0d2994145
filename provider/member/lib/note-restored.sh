#!/bin/sh
# note-restored.sh: note_restored WORD SNAPSHOT notes a restore that this machine's cluster has done: the same word restores nothing again, also after others. The last one stands first.
# constants: RESTORED_NOTE

note_restored() {
    { echo "$1 $2"; cat "$RESTORED_NOTE" 2> /dev/null || true; } | awk '!seen[$1]++' > "$RESTORED_NOTE.new"
    sync -- "$RESTORED_NOTE.new"
    mv "$RESTORED_NOTE.new" "$RESTORED_NOTE"
    sync -f "$RESTORED_NOTE"
}

#!/bin/sh
# note-restored.sh: note_restored WORD SNAPSHOT notes the last restore that this machine's cluster has done: the same word restores nothing again.
# constants: RESTORED_NOTE

note_restored() {
    echo "$1 $2" > "$RESTORED_NOTE.new"
    sync -- "$RESTORED_NOTE.new"
    mv "$RESTORED_NOTE.new" "$RESTORED_NOTE"
    sync -f "$RESTORED_NOTE"
}

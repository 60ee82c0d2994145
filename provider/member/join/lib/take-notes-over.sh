#!/bin/sh
# take-notes-over.sh: take_notes_over takes over what the cluster has done by a word (prepare-join.sh), for a machine that joins: put back into the program, the same word
# does nothing again, here neither. told NAME prints what the control plane said.
# constants: OS_NOTE RESTORED_NOTE

. member/lib/note-restored.sh

. member/os-note.sh

take_notes_over() {
    told restored | while read -r word snapshot; do note_restored "$word" "$snapshot"; done
    # one of the same word says how far this machine is
    told os | while read -r word; do
        if [ "$(cut -d ' ' -f 1 "$OS_NOTE" 2>/dev/null || true)" != "$word" ]; then os_note "$word" "done"; fi
    done
}

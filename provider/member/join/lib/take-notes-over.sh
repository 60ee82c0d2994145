#!/bin/sh
# take-notes-over.sh: take_notes_over takes over what the cluster has done by a word (prepare-join.sh), for a machine that joins: put back into the program, the same word
# does nothing again, here neither. told NAME prints what the control plane said.
# constants: REQUEST_NOTES RESTORED_NOTE

. member/lib/note-restored.sh

. member/request-note.sh

take_notes_over() {
    told restored | while read -r word snapshot; do note_restored "$word" "$snapshot"; done
    # one of the same word says how far this machine is
    told request | while read -r name word; do
        if [ "$(cut -d ' ' -f 1 "$REQUEST_NOTES/$name" 2>/dev/null || true)" != "$word" ]; then request_note "$name" "$word" "done"; fi
    done
}

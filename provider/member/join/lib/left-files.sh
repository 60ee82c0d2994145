#!/bin/sh
# left-files.sh: left_sum FILE: the checksum of what counts in it. Comments restart nothing, so they do not.
# changed_files FILE…: those that are not as kubeadm wrote them for our last step, a line "PATH is gone" or "PATH has changed" each. What was not noted is not
# known.
# entries_of STEP…: a line "step ID FINGERPRINT TIME SECONDS" for each that the journal has. written_since STEP…: whether one of them was done since the last note.
# Not by the times of files: a clock may go back.
# constants: LEFT_FILE STATE_FOLDER

left_sum() { sed 's/[[:space:]]*$//; /^[[:space:]]*#/d; /^$/d' "$1" | sha256sum | cut -d ' ' -f 1; }
changed_files() {
    for file in "$@"; do
        sum=$(sed -n "s|^\([0-9a-f]*\)  $file\$|\1|p" "$LEFT_FILE" 2>/dev/null)
        [ -n "$sum" ] || continue
        if [ ! -f "$file" ]; then
            echo "$file is gone"
        elif [ "$(left_sum "$file")" != "$sum" ]; then
            echo "$file has changed"
        fi
    done
}
entries_of() {
    for step in "$@"; do
        if [ -s "$STATE_FOLDER/journal/$step" ]; then echo "step $step $(head -n 1 "$STATE_FOLDER/journal/$step")"; fi
    done
}
written_since() {
    [ -n "$(entries_of "$@" | grep -vxF -f "$LEFT_FILE" || true)" ]
}

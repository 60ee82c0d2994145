#!/bin/sh
# note-left.sh: notes the checksums of the files that kubeadm writes for our steps, when one of these steps has been done since the last note. So what somebody
# changes between two runs is not taken for ours. Of kubelet's flags a copy is kept: kubeadm writes them at the join alone.
# constants: STATE_FOLDER KUBEADM_FLAGS_FILE LEFT_FILE LEFT_FILES LEFT_FLAGS LEFT_STEPS

. member/join/lib/left-files.sh

# shellcheck disable=SC2086 # lists of words
if [ ! -e "$LEFT_FILE" ] || written_since $LEFT_STEPS; then
    [ ! -f "$KUBEADM_FLAGS_FILE" ] || cp "$KUBEADM_FLAGS_FILE" "$LEFT_FLAGS"
    {
        for file in $LEFT_FILES; do [ ! -f "$file" ] || printf '%s  %s\n' "$(left_sum "$file")" "$file"; done
        entries_of $LEFT_STEPS
    } > "$LEFT_FILE.new"
    mv "$LEFT_FILE.new" "$LEFT_FILE"
fi

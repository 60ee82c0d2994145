#!/bin/sh
# note-left.sh: notes the checksums of the files that kubeadm writes for our steps, when one of these steps has been done since the last note. So what somebody
# changes between two runs is not taken for ours. Of kubelet's flags a copy is kept: kubeadm writes them at the join alone.
# constants: STATE_FOLDER KUBEADM_FLAGS_FILE LEFT_FILE LEFT_FILES LEFT_FLAGS LEFT_STEPS

. kubeadm/lib/left-files.sh

due=
[ -e "$LEFT_FILE" ] || due=yes
for step in $LEFT_STEPS; do
    [ -z "$(find "$STATE_FOLDER/journal/$step" -newer "$LEFT_FILE" 2>/dev/null)" ] || due=yes
done
if [ -n "$due" ]; then
    [ ! -f "$KUBEADM_FLAGS_FILE" ] || cp "$KUBEADM_FLAGS_FILE" "$LEFT_FLAGS"
    for file in $LEFT_FILES; do [ ! -f "$file" ] || printf '%s  %s\n' "$(left_sum "$file")" "$file"; done > "$LEFT_FILE.new"
    mv "$LEFT_FILE.new" "$LEFT_FILE"
fi

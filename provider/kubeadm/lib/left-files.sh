#!/bin/sh
# left-files.sh: left_sum FILE: the checksum of what counts in it. Comments restart nothing, so they do not.
# changed_files FILE…: those that are not as kubeadm wrote them for our last step, a line "PATH is gone" or "PATH has changed" each. What was not noted is not
# known.
# constants: LEFT_FILE

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

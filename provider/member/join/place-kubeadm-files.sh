#!/bin/sh
# place-kubeadm-files.sh: deletes patches that are no longer wanted.
# inputs: PATCHES (paths, one a line)
# constants: PATCHES_FOLDER

mkdir -p "$PATCHES_FOLDER"
for file in "$PATCHES_FOLDER"/*; do
    [ -e "$file" ] || continue
    printf '%s\n' "$PATCHES" | grep -qxF "$file" || rm -f "$file"
done

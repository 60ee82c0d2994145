#!/bin/sh
# observe-kubeadm-files.sh: looks whether there are patches that are not wanted.
# inputs: PATCHES (paths, one a line)
# constants: PATCHES_FOLDER

. shell/lib/observed.sh

for file in "$PATCHES_FOLDER"/*; do
    [ -e "$file" ] || continue
    printf '%s\n' "$PATCHES" | grep -qxF "$file" || differs "$file is not one of our patches"
done

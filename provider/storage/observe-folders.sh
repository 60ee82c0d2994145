#!/bin/sh
# observe-folders.sh: looks whether the exported folders are bound to their paths. Owner and mode are not compared: software may
# choose others for its folder.
# inputs: FOLDERS

. shell/lib/observed.sh

printf '%s\n' "$FOLDERS" | while read -r path folder _; do
    [ -n "$path" ] || continue
    if [ "$(stat -c %d:%i "$path" 2>/dev/null)" != "$(stat -c %d:%i "$folder" 2>/dev/null)" ]; then
        differs "$path is not $folder"
    fi
done

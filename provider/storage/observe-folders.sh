#!/bin/sh
# observe-folders.sh: looks whether the exported folders are bound to their paths, with owner and mode as they were made.
# inputs: FOLDERS

. shell/lib/observed.sh

printf '%s\n' "$FOLDERS" | while read -r path folder uid gid mode; do
    [ -n "$path" ] || continue
    if [ "$(stat -c %d:%i "$path" 2>/dev/null)" != "$(stat -c %d:%i "$folder" 2>/dev/null)" ]; then
        differs "$path is not $folder"
    elif [ "$(stat -c '%u %g %04a' "$path")" != "$uid $gid $mode" ]; then
        differs "$path is $(stat -c '%u %g %04a' "$path"), it was made $uid $gid $mode"
    fi
done

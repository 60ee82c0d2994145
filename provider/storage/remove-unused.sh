#!/bin/sh
# remove-unused.sh: unmounts what is served no more, exports before volumes. Data stays on its volume.
# inputs: MOUNTS (places, one a line)
# constants: VOLUMES_FOLDER STOPPED_FILE BACKUP_NOTES

. shell/lib/usual-path.sh

. storage/lib/fstab.sh

. storage/lib/unmount.sh

kept=
unused=
while read -r line; do
    [ -n "$line" ] || continue
    place=$(printf '%s' "$line" | cut -d ' ' -f 2)
    if printf '%s\n' "$MOUNTS" | grep -qxF -- "$place"; then kept="$kept$line
"; else unused="$place
$unused"; fi
done <<LINES
$(our_mounts)
LINES
for place in $unused; do
    if mountpoint -q "$place"; then refuse_saved "$place"; fi
done
for place in $unused; do
    if mountpoint -q "$place"; then unmount_served "$place"; fi
    rmdir "$place" 2>/dev/null || true
done
write_mounts "$(printf '%s' "$kept")"
start_again

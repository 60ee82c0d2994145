#!/bin/sh
# observe-volumes.sh: looks whether each volume is mounted, now and after the next boot, carries our mark and fills its disk.
# inputs: VOLUMES
# constants: VOLUMES_FOLDER

. shell/lib/observed.sh

. storage/lib/disk.sh

. storage/lib/fstab.sh

printf '%s\n' "$VOLUMES" | while read -r name disk type uuid _; do
    [ -n "$name" ] || continue
    place=$VOLUMES_FOLDER/$name
    device=$(device_of "$disk")
    if [ -z "$device" ]; then differs "volume $name: there is no disk $disk"; continue; fi
    our_mounts | grep -q "^UUID=$uuid $place " || differs "volume $name has no line in /etc/fstab"
    is_mounted_at "$device" "$place" ||
        differs "volume $name is not mounted at $place"
    grep -q "^uuid $uuid$" "$place/.pulumi-nfv/mark" 2>/dev/null || differs "volume $name carries no mark of ours"
    used=$(filesystem_bytes "$device" "$type")
    # a file system ends with whole groups of blocks
    if [ -n "$used" ] && [ $(($(blockdev --getsize64 "$device") - used)) -gt 134217728 ]; then
        differs "volume $name uses $used bytes of its disk, which has grown"
    fi
done

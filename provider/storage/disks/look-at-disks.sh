#!/bin/sh
# look-at-disks.sh: prints what is on each disk of a storage server, for a person or a function that decides. Changes nothing.
# inputs: VOLUMES (one a line: NAME DISK FILESYSTEM UUID LABEL)
# constants: FORMATTING_FOLDER MADE_FOLDER LABEL_PREFIX

. shell/lib/usual-path.sh

. storage/lib/disk.sh

. storage/lib/formatting.sh

# whose volume it is: a mark is a file, so a file system with a label of ours is mounted for a moment, read-only and without recovery
print_mark() {
    place=$(mktemp -d)
    case $2 in ext4) how=ro,noload ;; xfs) how=ro,norecovery,nouuid ;; *) how=ro ;; esac
    if mount -t "$2" -o "$how,nosuid,nodev,noexec" "$1" "$place" 2>/dev/null; then
        sed -n 's/^\(owner\|volume\|uuid\) /mark &/p' "$place/.pulumi-nfv/mark" 2>/dev/null || true
        umount "$place"
    fi
    rmdir "$place"
}
printf '%s\n' "$VOLUMES" | while read -r name disk type uuid _; do
    [ -n "$name" ] || continue
    echo "volume $name"
    device=$(device_of "$disk")
    if [ -z "$device" ]; then echo "absent"; continue; fi
    echo "device $device"
    if [ ! -b "$device" ]; then echo "no disk"; continue; fi
    echo "bytes $(blockdev --getsize64 "$device")"
    findings "$device"
    if has_begun "$name" "$uuid" "$device"; then echo "formatting"; fi
    if was_made "$name" "$uuid"; then echo "made"; fi
    seen=$(uuid_of "$device")
    [ -n "$seen" ] || continue
    for twin in $(blkid --cache-file /dev/null --match-token "UUID=$seen" --output device 2>/dev/null || true); do
        twin=$(readlink -e "$twin" || true)
        if [ -z "$twin" ] || [ "$twin" = "$device" ]; then continue; fi
        # below a multipath or mapped device the same file system is seen twice
        [ -n "$(ls "/sys/class/block/${twin##*/}/holders" 2>/dev/null)" ] || echo "twin $twin"
    done
    if [ "$seen" = "$uuid" ]; then echo "filesystem $(filesystem_bytes "$device" "$type")"; fi
    case $(blkid --probe --match-tag LABEL --output value "$device" 2>/dev/null || true) in "$LABEL_PREFIX"*) ;; *) continue ;; esac
    found=$(blkid --probe --match-tag TYPE --output value "$device" 2>/dev/null || true)
    place=$(awk -v number="$(number_of "$device")" '$3 == number { print $5; exit }' /proc/self/mountinfo)
    if [ -n "$place" ]; then
        sed -n 's/^\(owner\|volume\|uuid\) /mark &/p' "$place/.pulumi-nfv/mark" 2>/dev/null || true
    else
        case $found in ext4 | xfs) print_mark "$device" "$found" ;; esac
    fi
done

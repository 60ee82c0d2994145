#!/bin/sh
# prepare-volumes.sh: makes a file system on each disk that is proven empty, mounts each volume of ours, writes its mark, lets it grow with its disk.
# A disk with anything else on it is refused, before the first change on any of them.
# inputs: VOLUMES (one a line: NAME DISK FILESYSTEM UUID LABEL) OWNERS (one a line: NAME OWNER) MINIMUM_BYTES (one a line: NAME BYTES)
# inputs: RECREATE (names, one a line)
# constants: FORMATTING_FOLDER MADE_FOLDER VOLUMES_FOLDER FOREIGN_VOLUME VOLUME_LOST

. shell/lib/usual-path.sh

. storage/lib/disk.sh

. storage/lib/formatting.sh

. storage/lib/fstab.sh

refuse() {
    echo "$1" >&2
    [ -z "${2:-}" ] || printf '%s\n' "$2" >&2
    exit "$FOREIGN_VOLUME"
}
value_of() { printf '%s\n' "$1" | awk -v name="$2" '$1 == name { print $2; exit }'; }
# empty, ours, or unfinished: begun by us in this boot on a disk that was proven empty, and not marked yet
state_of() {
    if [ "$(uuid_of "$device")" = "$uuid" ]; then echo ours; return; fi
    found=$(findings "$device")
    if [ -z "$found" ]; then
        if was_made "$name" "$uuid" && ! has_begun "$name" "$uuid" "$device" && ! printf '%s\n' "$RECREATE" | grep -qxF -- "$name"; then
            echo "volume $name: its disk $disk is empty, and the volume was made before: it is lost, or on another disk" >&2
            exit "$VOLUME_LOST"
        fi
        echo empty
    elif has_begun "$name" "$uuid" "$device" && ! printf '%s\n' "$found" | grep -vq '^data '; then echo unfinished
    else refuse "volume $name: $disk is not empty, and it is not this volume:" "$found"
    fi
}
format() {
    # nothing of ours is on the disk but what mkfs began
    if [ "$state" != empty ]; then wipefs --all --quiet "$device"; fi
    note_begin "$name" "$uuid" "$device"
    # looked at again: between the first look and here packages were installed
    if [ "$state" = empty ]; then
        found=$(findings "$device")
        [ -z "$found" ] || refuse "volume $name: $disk was empty a moment ago and is no more:" "$found"
    fi
    make_filesystem || {
        # what is on the disk from now on may be somebody's
        forget_begin "$name"
        echo "volume $name: mkfs failed on $disk; if nothing on it is needed: wipefs --all $disk, and zeros over its first and last MiB" >&2
        exit 1
    }
    sync -- "$device"
}
make_filesystem() {
    case $type in
        ext4) mkfs.ext4 -q -m 0 -U "$uuid" -L "$label" "$device" ;;
        xfs) mkfs.xfs -q -f -m "uuid=$uuid" -L "$label" "$device" ;;
    esac
}
write_mark() {
    folder=$place/.pulumi-nfv
    text="owner $(value_of "$OWNERS" "$name")
volume $name
uuid $uuid"
    [ "$(cat "$folder/mark" 2>/dev/null || true)" != "$text" ] || return 0
    mkdir -p "$folder"
    chmod 700 "$folder"
    printf '%s\n' "$text" > "$folder/mark.new"
    sync -- "$folder/mark.new"
    mv "$folder/mark.new" "$folder/mark"
    sync -- "$folder" "$place"
}
prepare() {
    place=$VOLUMES_FOLDER/$name
    state=$(state_of)
    if [ "$state" != ours ]; then format; fi
    used=$(filesystem_bytes "$device" "$type")
    if [ -n "$used" ] && [ "$used" -gt "$(blockdev --getsize64 "$device")" ]; then
        refuse "volume $name: the file system has $used bytes, its disk $disk only $(blockdev --getsize64 "$device"): was the disk shrunk or copied to a smaller one?"
    fi
    mkdir -p "$place"
    case $type in ext4) pass=2 ;; *) pass=0 ;; esac
    add_mount "UUID=$uuid $place $type defaults,nofail 0 $pass"
    if ! is_mounted_at "$device" "$place"; then
        ! mountpoint -q "$place" || refuse "volume $name: another file system is mounted at $place"
        if ! said=$(mount "$place" 2>&1); then
            # mkfs was killed after it had written the UUID
            has_begun "$name" "$uuid" "$device" || refuse "volume $name: the file system on $disk cannot be mounted; it may need a repair by a person:" "$said"
            state=unfinished
            format
            mount "$place"
        fi
        if ! is_mounted_at "$device" "$place"; then
            umount "$place" || true
            refuse "volume $name: another disk carries the same UUID as $disk, $uuid: detach the copy"
        fi
    fi
    write_mark
    note_made "$name" "$uuid"
    forget_begin "$name"
    case $type in ext4) resize2fs "$device" >/dev/null ;; xfs) xfs_growfs "$place" >/dev/null ;; esac
}
# a cloud tells its server after a while that a volume has grown
wait_for_size() {
    case $disk in cinder:*) tries=20 ;; *) tries=0 ;; esac
    while [ "$tries" -gt 0 ] && [ "$(blockdev --getsize64 "$device")" -lt "$least" ]; do
        tries=$((tries - 1))
        sleep 1
    done
}
each_volume() {
    while read -r name disk type uuid label; do
        [ -n "$name" ] || continue
        device=$(device_of "$disk")
        if [ ! -b "$device" ]; then refuse "volume $name: there is no disk $disk"; fi
        least=$(value_of "$MINIMUM_BYTES" "$name")
        if [ -n "$least" ]; then wait_for_size; fi
        if [ -n "$least" ] && [ "$(blockdev --getsize64 "$device")" -lt "$least" ]; then
            refuse "volume $name: $disk has $(blockdev --getsize64 "$device") bytes, less than sizeGiB says ($least)"
        fi
        "$1" < /dev/null
    done <<VOLUMES
$VOLUMES
VOLUMES
}
look_first() {
    state=$(state_of)
    place=$VOLUMES_FOLDER/$name
    # such as a lost disk's: found out after mkfs, the new disk would be a volume already
    if [ "$state" != ours ] && mountpoint -q "$place" && ! is_mounted_at "$device" "$place"; then
        refuse "volume $name: another file system is mounted at $place: unmount it, or reboot the machine"
    fi
}
each_volume look_first
each_volume prepare

#!/bin/sh
# disk.sh: functions that look at a disk. They change nothing on it. What cannot be read counts as data.
# device_of DISK: prints its device, or nothing. DISK is a path, or "cinder:ID": the serial number that a server sees of a volume is the volume's id, which
# virtio cuts to 20 characters. A volume that was just attached appears after a while.
# findings DEVICE: prints one line for each thing that may be somebody's. Nothing: the disk is proven empty.
# uuid_of DEVICE: prints the UUID of its file system, or nothing.
# is_mounted_at DEVICE PLACE: tests whether this very disk is mounted there.
# filesystem_bytes DEVICE TYPE: prints how many bytes of the disk the file system uses.

device_of() {
    case $1 in cinder:*) ;; *) readlink -e "$1" || true; return ;; esac
    tries=0
    while [ "$tries" -lt 15 ]; do
        for link in "/dev/disk/by-id/virtio-$(printf '%.20s' "${1#cinder:}")" "/dev/disk/by-id/"*"${1#cinder:}"; do
            if [ -e "$link" ]; then readlink -e "$link"; return; fi
        done
        tries=$((tries + 1))
        sleep 1
    done
}
number_of() { printf '%d:%d' "0x$(stat -L -c %t "$1")" "0x$(stat -L -c %T "$1")"; }
is_mounted_at() { awk -v number="$(number_of "$1")" -v place="$2" '$3 == number && $5 == place { found = 1 } END { exit !found }' /proc/self/mountinfo; }
is_zero() {
    part=$(mktemp)
    dd if="$1" of="$part" bs=65536 iflag=skip_bytes,count_bytes skip="$2" count="$3" 2>/dev/null || { rm -f "$part"; return 1; }
    read_bytes=$(wc -c < "$part")
    other_bytes=$(tr -d '\000' < "$part" | wc -c)
    rm -f "$part"
    [ "$read_bytes" = "$3" ] && [ "$other_bytes" = 0 ]
}
findings() {
    number=$(number_of "$1")
    bytes=$(blockdev --getsize64 "$1")
    awk -v number="$number" '$3 == number { print "mounted " $5 }' /proc/self/mountinfo
    for entry in "/sys/dev/block/$number"/holders/*; do if [ -e "$entry" ]; then echo "holder ${entry##*/}"; fi; done
    for entry in "/sys/dev/block/$number"/*/partition; do
        if [ -e "$entry" ]; then entry=${entry%/partition}; echo "partition ${entry##*/}"; fi
    done
    if signatures=$(wipefs --noheadings --parsable --output TYPE,UUID,LABEL "$1" 2>&1); then
        printf '%s\n' "$signatures" | sed -n 's/^\(..*\)$/signature \1/p'
    else
        echo "unreadable $signatures"
    fi
    # some signatures are known to only one of the two programs
    code=0
    probed=$(blkid --probe --output export "$1" 2>&1) || code=$?
    case $code in
        0) printf '%s\n' "$probed" | sed -n 's/^TYPE=/type /p; s/^PTTYPE=/table /p' ;;
        2) ;;
        *) echo "unreadable blkid: $probed" ;;
    esac
    edge=1048576
    if [ "$bytes" -lt "$edge" ]; then edge=$bytes; fi
    is_zero "$1" 0 "$edge" || echo "data first MiB"
    is_zero "$1" $((bytes - edge)) "$edge" || echo "data last MiB"
}
uuid_of() { blkid --probe --match-tag UUID --output value "$1" 2>/dev/null || true; }
filesystem_bytes() {
    case $2 in
        ext4) dumpe2fs -h "$1" 2>/dev/null | awk -F: '/^Block count/ { n = $2 } /^Block size/ { s = $2 } END { if (n * s > 0) printf "%.0f\n", n * s }' ;;
        xfs) xfs_db -r -c 'sb 0' -c 'print dblocks blocksize' "$1" 2>/dev/null |
            awk -F= '/dblocks/ { n = $2 } /blocksize/ { s = $2 } END { if (n * s > 0) printf "%.0f\n", n * s }' ;;
    esac
}

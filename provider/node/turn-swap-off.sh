#!/bin/sh
# turn-swap-off.sh: turns swap off, also for the next boot.

# shellcheck disable=SC2013 # the kernel writes a space in a path as \040
for device in $(awk 'NR > 1 { print $1 }' /proc/swaps); do
    if [ ! -e "$device" ]; then
        echo "swap on $device is on and does not belong to this machine: turn it off there" >&2
        exit 1
    fi
    swapoff "$device"
done
sed -i 's/^[^#].*[[:space:]]swap[[:space:]].*/# pulumi-nfv: &/' /etc/fstab

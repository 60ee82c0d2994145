#!/bin/sh
# turn-swap-off.sh: turns swap off, also for the next boot.

. shell/lib/change-file.sh

# shellcheck disable=SC2013 # the kernel writes a space in a path as \040
for device in $(awk 'NR > 1 { print $1 }' /proc/swaps); do
    if [ ! -e "$device" ]; then
        echo "swap on $device is on and does not belong to this machine: turn it off there" >&2
        exit 1
    fi
    swapoff "$device"
done
# the third field: others mention swap in a path, an option or a comment
without_swap() { awk '$1 !~ /^#/ && $3 == "swap" { printf "# pulumi-nfv: " } { print }'; }
[ ! -e /etc/fstab ] || change_file /etc/fstab without_swap

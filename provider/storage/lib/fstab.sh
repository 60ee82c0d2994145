#!/bin/sh
# fstab.sh: functions for our lines of /etc/fstab, which stand in a block of their own. Written beside the file, synced and renamed: a file that is half
# written would cost the next boot.
# our_mounts: prints our lines.
# write_mounts TEXT: makes TEXT our lines; without a text the block goes.
# add_mount LINE: adds a line if it is not there.

our_mounts() { sed -n '/^# pulumi-nfv storage begin$/,/^# pulumi-nfv storage end$/p' /etc/fstab 2>/dev/null | sed '1d;$d'; }
write_mounts() {
    [ "$(our_mounts)" != "$1" ] || return 0
    touch /etc/fstab
    cp -p /etc/fstab /etc/fstab.nfv-new
    sed '/^# pulumi-nfv storage begin$/,/^# pulumi-nfv storage end$/d' /etc/fstab > /etc/fstab.nfv-new
    if [ -n "$1" ]; then printf '# pulumi-nfv storage begin\n%s\n# pulumi-nfv storage end\n' "$1" >> /etc/fstab.nfv-new; fi
    sync -- /etc/fstab.nfv-new
    mv /etc/fstab.nfv-new /etc/fstab
    sync -- /etc
    systemctl daemon-reload
}
add_mount() {
    our_mounts | grep -qxF -- "$1" && return 0
    before=$(our_mounts)
    write_mounts "${before:+$before
}$1"
}

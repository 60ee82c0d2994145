#!/bin/sh
# unmount.sh: functions that unmount what the NFS server may hold: it lets go of files that clients have open only when it stops. Clients wait meanwhile.
# unmount_served PLACE: unmounts it, and stops the server if it must.
# start_again: starts the server if it was stopped.

stopped=
unmount_served() {
    for _ in 1 2 3; do
        if umount "$1" 2>/dev/null; then return 0; fi
        sleep 1
    done
    if ! systemctl -q is-active nfs-server.service; then umount "$1"; return; fi
    systemctl stop nfs-server.service
    stopped=yes
    umount "$1" || { start_again; return 1; }
}
start_again() {
    [ -n "$stopped" ] || return 0
    systemctl start nfs-server.service
    stopped=
}

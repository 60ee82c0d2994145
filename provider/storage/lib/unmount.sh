#!/bin/sh
# unmount.sh: functions that unmount what the NFS server may hold: it lets go of files that clients have open only when it stops. Clients wait meanwhile.
# unmount_served PLACE: unmounts it, and stops the server if it must.
# start_again: starts the server if it was stopped, by this script or by one that was killed.
# constants: STOPPED_FILE

# however the script ends: all clients of all exports wait
trap 'start_again || true' EXIT
trap 'exit 143' HUP INT TERM
unmount_served() {
    for _ in 1 2 3; do
        if umount "$1" 2>/dev/null; then return 0; fi
        sleep 1
    done
    if systemctl -q is-active nfs-server.service; then
        : > "$STOPPED_FILE"
        systemctl stop nfs-server.service
    fi
    umount "$1"
}
start_again() {
    [ -e "$STOPPED_FILE" ] || return 0
    # in the trap a failure does not end it
    systemctl start nfs-server.service && rm -f "$STOPPED_FILE"
}

#!/bin/sh
# unmount.sh: functions that unmount what the NFS server may hold: it lets go of files that clients have open only when it stops. Clients wait meanwhile.
# unmount_served PLACE: unmounts it, and stops the server if it must.
# refuse_saved PLACE: ends the script while a backup saves it. That holds the place itself, so the server would be stopped for nothing.
# start_again: starts the server if it was stopped, by this script or by one that was killed.
# constants: STOPPED_FILE BACKUP_NOTES

# however the script ends: all clients of all exports wait
trap 'start_again || true' EXIT
trap 'exit 143' HUP INT TERM
refuse_saved() {
    for unit in $(systemctl list-units --plain --no-legend --state=activating,active 'pulumi-nfv-backup@*.service' | cut -d ' ' -f 1); do
        saver=${unit#*@}
        saver=${saver%.service}
        # one that has just begun has noted nothing yet
        if [ -e "$BACKUP_NOTES/$saver.saving" ] && ! grep -qxF -- "$1" "$BACKUP_NOTES/$saver.saving"; then continue; fi
        echo "$1 cannot be unmounted: the backup $saver is saving it. Wait for its end, or stop it: systemctl stop $unit" >&2
        exit 1
    done
}
unmount_served() {
    for _ in 1 2 3; do
        if umount "$1" 2>/dev/null; then return 0; fi
        sleep 1
    done
    if systemctl -q is-active nfs-server.service; then
        refuse_saved "$1"
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

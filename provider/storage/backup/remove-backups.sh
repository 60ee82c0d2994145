#!/bin/sh
# remove-backups.sh: takes timers, settings and notes of the backups away that are not in $BACKUPS; without any, also the program. Snapshots stay where they are.
# inputs: BACKUPS (one a line, the name first)
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_PROGRAM BACKUP_CACHE UNITS_FOLDER TIMER_STAMPS

is_wanted() { printf '%s\n' "$BACKUPS" | cut -d ' ' -f 1 | grep -qxF -- "$1"; }
for settings in "$BACKUPS_FOLDER"/*; do
    name=${settings##*/}
    if [ ! -d "$settings" ] || is_wanted "$name"; then continue; fi
    systemctl -q disable --now "pulumi-nfv-backup@$name.timer" 2> /dev/null || true
    systemctl stop "pulumi-nfv-backup@$name.service" 2> /dev/null || true
    rm -rf "$UNITS_FOLDER/pulumi-nfv-backup@$name.timer" "${BACKUP_CACHE:?}/$name"
    rm -f "$BACKUP_NOTES/$name.failed" "$BACKUP_NOTES/$name.done" "$BACKUP_NOTES/$name.run" "$BACKUP_NOTES/$name.repository" "$TIMER_STAMPS/stamp-pulumi-nfv-backup@$name.timer"
    rm -rf "$settings"
done
if [ -z "$BACKUPS" ]; then
    rm -f "$UNITS_FOLDER/pulumi-nfv-backup@.service" "$BACKUP_PROGRAM"
    rmdir "${BACKUP_PROGRAM%/*}" 2> /dev/null || true
    rm -rf "$BACKUP_NOTES" "$BACKUP_CACHE"
    systemctl daemon-reload
fi

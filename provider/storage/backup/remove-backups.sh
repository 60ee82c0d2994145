#!/bin/sh
# remove-backups.sh: takes timers, settings and notes of the backups away that are not in $BACKUPS; without any, also the program. Snapshots stay where they are.
# inputs: BACKUPS (one a line, the name first)
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_PROGRAM BACKUP_CACHE UNITS_FOLDER TIMER_STAMPS VOLUMES_FOLDER

. storage/lib/staging.sh

is_wanted() { printf '%s\n' "$BACKUPS" | cut -d ' ' -f 1 | grep -qxF -- "$1"; }
# also a timer or settings alone: a run that was killed between them. The name of a backup has no dot
for place in "$BACKUPS_FOLDER"/* "$UNITS_FOLDER"/pulumi-nfv-backup@*.timer; do
    [ -e "$place" ] || continue
    name=${place##*/}
    name=${name#pulumi-nfv-backup@}
    name=${name%.timer}
    if [ -z "$name" ] || is_wanted "$name"; then continue; fi
    systemctl -q disable --now "pulumi-nfv-backup@$name.timer" 2> /dev/null || true
    systemctl stop "pulumi-nfv-backup@$name.service" 2> /dev/null || true
    systemctl reset-failed "pulumi-nfv-backup@$name.service" 2> /dev/null || true
    rm -rf "$UNITS_FOLDER/pulumi-nfv-backup@$name.timer" "${BACKUP_CACHE:?}/$name"
    rm -f "$BACKUP_NOTES/$name".* "$TIMER_STAMPS/stamp-pulumi-nfv-backup@$name.timer"
    rm -rf "${BACKUPS_FOLDER:?}/$name"
done
if [ -z "$BACKUPS" ]; then
    # of restores that were killed: without backups there are none
    for staging in "$VOLUMES_FOLDER"/*/.pulumi-nfv/restore-*; do
        if [ -d "$staging" ]; then drop_staging "${staging%/.pulumi-nfv/*}" "${staging##*/restore-}"; fi
    done
    rm -f "$UNITS_FOLDER/pulumi-nfv-backup@.service" "$BACKUP_PROGRAM"
    rmdir "${BACKUP_PROGRAM%/*}" 2> /dev/null || true
    rm -rf "$BACKUP_NOTES" "$BACKUP_CACHE"
    systemctl daemon-reload
fi

#!/bin/sh
# configure-backups.sh: after the files of the backups are there: takes away those of backups that are not wanted any more. Starts nothing.
# inputs: BACKUPS (one a line: NAME SCHEDULE; "-": none)
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_PROGRAM BACKUP_CACHE UNITS_FOLDER TIMER_STAMPS VOLUMES_FOLDER

. shell/lib/usual-path.sh

. storage/backup/remove-backups.sh

if [ -z "$BACKUPS" ]; then exit 0; fi
while read -r name schedule; do
    if [ "$schedule" = - ]; then
        systemctl -q disable --now "pulumi-nfv-backup@$name.timer" 2> /dev/null || true
        rm -f "$UNITS_FOLDER/pulumi-nfv-backup@$name.timer"
    fi
done <<BACKUPS
$BACKUPS
BACKUPS
systemctl daemon-reload

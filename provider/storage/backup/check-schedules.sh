#!/bin/sh
# check-schedules.sh: proves the schedules before a timer is written: a wrong one would end a timer that works.
# inputs: BACKUPS (one a line: NAME SCHEDULE; "-": none)
# constants: BACKUP_FAILED

. shell/lib/usual-path.sh

while read -r name schedule; do
    if [ "$schedule" != - ] && ! systemd-analyze calendar "$schedule" > /dev/null 2>&1; then
        echo "backup $name: systemd does not know the schedule \"$schedule\": try systemd-analyze calendar" >&2
        exit "$BACKUP_FAILED"
    fi
done <<BACKUPS
$BACKUPS
BACKUPS

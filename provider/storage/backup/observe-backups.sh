#!/bin/sh
# observe-backups.sh: timers that do not run, and backups whose last run failed.
# inputs: BACKUPS (as start-backups.sh has them)
# constants: BACKUP_NOTES

. shell/lib/usual-path.sh

. storage/lib/backup-state.sh

while read -r name run schedule; do
    [ -n "$name" ] || continue
    if [ "$schedule" != - ] && ! systemctl -q is-active "pulumi-nfv-backup@$name.timer"; then echo "the timer of backup $name does not run"; fi
    if has_failed "$name"; then echo "backup $name failed"; fi
    if is_asked "$name" "$run"; then echo "backup $name was not made for $run"; fi
done <<BACKUPS
$BACKUPS
BACKUPS

#!/bin/sh
# start-backups.sh: opens each repository, or makes it; makes the backups that are asked for, and again those that failed; then starts the timers.
# inputs: BACKUPS (one a line: NAME RUN SCHEDULE; "-": none)
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_CACHE VOLUMES_FOLDER BACKUP_FAILED

. shell/lib/usual-path.sh

. storage/lib/restic.sh

. storage/lib/backup-state.sh

make_backup() {
    # one that runs already may have begun before
    while [ "$(systemctl is-active "pulumi-nfv-backup@$1.service")" = activating ]; do sleep 2; done
    echo "backup $1 ..."
    if systemctl start "pulumi-nfv-backup@$1.service"; then return 0; fi
    said=$(tail -n +2 "$BACKUP_NOTES/$1.failed" 2> /dev/null || true)
    fail_backup "$(printf '%s' "${said:-see journalctl -u pulumi-nfv-backup@$1}" | sed "s/^backup $1: //" | tail -n 3 | tr '\n' ' ')"
}
start_backup() {
    use_backup "$name"
    open_repository
    if is_asked "$name" "$run" || has_failed "$name"; then make_backup "$name"; fi
    if [ "$run" != - ]; then echo "$run" > "$BACKUP_NOTES/$name.run"; fi
    if [ "$schedule" != - ]; then systemctl -q enable --now "pulumi-nfv-backup@$name.timer"; fi
}
mkdir -p "$BACKUP_NOTES" "$BACKUP_CACHE"
failed=0
while read -r name run schedule; do
    [ -n "$name" ] || continue
    # a shell for each: one that fails keeps no other from its backup and its timer. Not with "||", where set -e does not work
    set +e
    ( set -e; start_backup ) < /dev/null
    code=$?
    set -e
    if [ "$code" -ne 0 ]; then failed=$code; fi
done <<BACKUPS
$BACKUPS
BACKUPS
exit "$failed"

#!/bin/sh
# start-backups.sh: opens each repository, or makes it; makes the backups that are asked for, and again those that failed; then starts the timers.
# inputs: BACKUPS (one a line: NAME RUN SCHEDULE; "-": none)
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_CACHE VOLUMES_FOLDER BACKUP_FAILED

. shell/lib/usual-path.sh

. storage/lib/restic.sh

. storage/lib/backup-state.sh

# A backup may take a day, and what a former run has left running is in the way of the next one. So this waits only as long as its run holds the lease of the
# machine (provider/steps/README.md: the files of the agent); a backup that has begun goes on without it
has_lease() {
    batch=${0%/*}
    read -r _ run_of_this _ 2> /dev/null < "$batch/meta" || return 0
    read -r holder _ 2> /dev/null < "$batch/../../lease" || return 1
    [ "$holder" = "$run_of_this" ]
}
# twice: the file may be empty while it is written
is_awaited() { has_lease || { sleep 1; has_lease; }; }
need_run() { is_awaited || fail_backup "the run that waited for it was stopped; a backup that has begun goes on"; }
watch_lease() {
    while is_awaited; do sleep 1; done
    kill "$1"
}
make_backup() {
    # one that runs already may have begun before
    while [ "$(systemctl is-active "pulumi-nfv-backup@$1.service")" = activating ]; do
        need_run
        sleep 2
    done
    need_run
    echo "backup $1 ..."
    systemctl start "pulumi-nfv-backup@$1.service" &
    starter=$!
    watch_lease "$starter" > /dev/null 2>&1 &
    watcher=$!
    code=0
    wait "$starter" || code=$?
    kill "$watcher" 2> /dev/null || true
    if [ "$code" = 0 ]; then
        # warnings
        tail -n +2 "$BACKUP_NOTES/$1.done" || true
        return 0
    fi
    need_run
    said=$(tail -n +2 "$BACKUP_NOTES/$1.failed" 2> /dev/null || true)
    fail_backup "$(printf '%s' "${said:-see journalctl -u pulumi-nfv-backup@$1}" | sed "s/^backup $1: //" | tail -n 3 | tr '\n' ' ')"
}
start_backup() {
    use_backup "$name"
    need_run
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

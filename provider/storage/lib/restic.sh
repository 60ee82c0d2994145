#!/bin/sh
# restic.sh: functions that call restic for one backup. Secrets are in files that only root may read, never in arguments.
# use_backup NAME: chooses it. call_restic ARGUMENT…: calls restic for it. open_repository: makes it if there is none.
# unlock_own: removes the locks of processes that died here since the last boot. restic removes all others after 30 minutes.
# ask_snapshots OPTION…: restic's list of snapshots, in JSON, in $said. Fails unless it is whole; then the cause is in $said, and what is known in $listed.
# fail_backup TEXT: ends the script. last_words: the end of what a command wrote into $said.
# constants: BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES VOLUMES_FOLDER

. shell/lib/use-proxy.sh

fail_backup() {
    echo "backup $backup: $1" >&2
    exit "$BACKUP_FAILED"
}
# from 0.17 on, restic says also why it ended in JSON: as the versions before say it, the first line
plain_end() { sed -e '/^{"message_type":"exit_error"/!b' -e 's/.*"message":"\(\([^"\]\|\\.\)*\)".*/\1/' -e 's/\\n.*//' -e 's/\\"/"/g'; }
# fatal errors, and whose lock it is; else the errors of files; else what stands at the end
last_words() {
    said=$(printf '%s\n' "$said" | plain_end)
    causes=$(printf '%s\n' "$said" | sed -n -e 's/^Fatal: //p' -e t -e 's/^ignoring error for //p' -e t -e '/already locked/p')
    if [ -z "$causes" ]; then causes=$(printf '%s\n' "$said" | error_causes); fi
    if [ -z "$causes" ]; then causes=$(printf '%s\n' "$said" | grep -v -e '^$' -e '"message_type"' || true); fi
    printf '%s\n' "$causes" | tail -n 3 | tr '\n' ' '
    case $is_named$said in
        yes*) ;;
        *"already locked"*) printf '(unshare --uts is refused here, so the lock of a dead backup looks like that of a living one. If no backup runs on any server, remove it: restic unlock) ' ;;
    esac
}
# restic's lines of JSON → ITEM: CAUSE. 0.14 has the number of the error, or nothing; later ones have its text
error_causes() {
    sed -n -e '/"message_type":"error"/!d' -e 's/.*"message":"\(\([^"\\]\|\\.\)*\)".*/\1/p;t' \
        -e 's/.*"Err":\([0-9]*\).*"item":"\(.*\)"}$/\2: error \1/p;t' -e 's/.*"item":"\(.*\)"}$/\1: it could not be read/p' |
        sed -e 's/: error 2$/: no such file or directory/' -e 's/: error 5$/: input\/output error/' -e 's/: error 13$/: permission denied/'
}
use_backup() {
    backup=$1
    settings=$BACKUPS_FOLDER/$1
    # somebody's settings in /etc/environment would go before ours
    for each in $(env | sed -n 's/^\(\(RESTIC\|AWS\)_[A-Z0-9_]*\)=.*/\1/p'); do unset "$each"; done
    # systemd gives a service no HOME
    export RESTIC_REPOSITORY_FILE="$settings/repository" RESTIC_PASSWORD_FILE="$settings/password" RESTIC_CACHE_DIR="$BACKUP_CACHE/$1"
    if [ -s "$settings/access-key" ]; then
        AWS_ACCESS_KEY_ID=$(cat "$settings/access-key")
        AWS_SECRET_ACCESS_KEY=$(cat "$settings/secret-key")
        export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    fi
    if [ -s "$settings/region" ]; then
        AWS_DEFAULT_REGION=$(cat "$settings/region")
        export AWS_DEFAULT_REGION
    fi
    # Another server can have this one's host name; the former server has the same owner and may still run; a clone has also the machine's id. After a boot
    # the PID of a dead one may be somebody's, to whom restic would send SIGHUP
    lock_name=$(cut -c 1-50 "$settings/owner")-$(cat "$settings/owner" /etc/machine-id /proc/sys/kernel/random/boot_id 2> /dev/null | sha256sum | cut -c 1-12)
    is_named=
    if under_lock_name true > /dev/null 2>&1; then is_named=yes; fi
}
# `restic unlock` calls a lock dead if it is of a host of this name and its PID does not run here. So restic has a host name that no other machine and no other boot has
# shellcheck disable=SC2016 # of the inner shell
under_lock_name() { unshare --uts sh -c '{ hostname "$1" 2> /dev/null || sysctl -q -w "kernel.hostname=$1"; } || exit 1; shift; exec "$@"' sh "$lock_name" "$@"; }
run_restic() { if [ -n "$is_named" ]; then under_lock_name restic "$@"; else restic "$@"; fi; }
call_restic() {
    if [ -s "$settings/sftp-command" ]; then
        run_restic -o "sftp.command=$(cat "$settings/sftp-command")" "$@"
    elif [ -s "$settings/ca.crt" ]; then
        run_restic --cacert "$settings/ca.crt" "$@"
    else
        run_restic "$@"
    fi
}
# restic ends with 0, and with a list without those that it could not read, or with an empty one
ask_snapshots() {
    listed=
    said=$(call_restic snapshots --json "$@" 2>&1) || return 1
    # shellcheck disable=SC2034 # for the script
    listed=$said
    unread=$(printf '%s\n' "$said" | grep -e '^could not load snapshot' -e '^Ignoring "' || true)
    if [ -n "$unread" ]; then said=$unread; return 1; fi
}
# without a host name of its own, the lock of a backup that runs on another server would look dead
unlock_own() {
    if [ -z "$is_named" ]; then return 0; fi
    if ! said=$(call_restic unlock --quiet 2>&1); then fail_backup "its repository cannot be opened: $(last_words)"; fi
}
# the disk of a backup that is not mounted would be the system's; a volume's disk would go with what it saves
check_folder() {
    if [ ! -s "$settings/folder" ]; then return 0; fi
    kept_in=$(cat "$settings/folder")
    if [ ! -d "$kept_in" ]; then fail_backup "there is no folder $kept_in: mount its disk and make it"; fi
    disk=$(stat -c %d "$kept_in")
    if [ "$disk" = "$(stat -c %d /)" ]; then fail_backup "$kept_in is on the system's disk: mount a disk of its own there"; fi
    for saved in "$VOLUMES_FOLDER"/*; do
        if mountpoint -q "$saved" && [ "$disk" = "$(stat -c %d "$saved")" ]; then
            fail_backup "$kept_in is on the volume ${saved##*/}, which the backup is to save"
        fi
    done
}
open_repository() {
    check_folder
    # without a lock: that of a run that was killed would be in the way
    if said=$(call_restic cat config --no-lock 2>&1 > /dev/null); then
        cp "$settings/repository" "$BACKUP_NOTES/$backup.repository"
        rm -f "$BACKUP_NOTES/$backup.init"
        return 0
    fi
    case $said in
        *"no such file or directory"* | *"does not exist"*) ;;
        *) fail_backup "its repository cannot be opened: $(last_words)" ;;
    esac
    # an empty one in its place would look like a backup that works
    if cmp -s "$settings/repository" "$BACKUP_NOTES/$backup.repository"; then
        fail_backup "its repository $(cat "$settings/repository") was there and is gone: bring it back, or name another place for a new one"
    fi
    look_before_init
    # of a run that was killed meanwhile: restic writes the key first, then config
    cp "$settings/repository" "$BACKUP_NOTES/$backup.init"
    sync -- "$BACKUP_NOTES/$backup.init"
    if ! said=$(call_restic init 2>&1); then fail_backup "its repository cannot be made: $(last_words)"; fi
    cp "$settings/repository" "$BACKUP_NOTES/$backup.repository"
    sync -- "$BACKUP_NOTES/$backup.repository"
    rm -f "$BACKUP_NOTES/$backup.init"
}
has_files() {
    for part in "$@"; do
        if [ ! -e "$kept_in/$part" ]; then continue; fi
        found=$(find "$kept_in/$part" -type f -print -quit) || fail_backup "$kept_in/$part cannot be read"
        if [ -n "$found" ]; then return 0; fi
    done
    return 1
}
# init looks for config only. Where that was lost, another key and config would be written over a repository with snapshots. Over SFTP and S3 restic cannot look
look_before_init() {
    if [ ! -s "$settings/folder" ]; then return 0; fi
    kept_in=$(cat "$settings/folder")
    if ! has_files keys snapshots data index; then return 0; fi
    if has_files snapshots data index || ! cmp -s "$settings/repository" "$BACKUP_NOTES/$backup.init"; then
        fail_backup "parts of a repository are in $kept_in, but not its config: bring that back, or name another place for a new one"
    fi
    find "$kept_in/keys" -type f -delete
}

#!/bin/sh
# restic.sh: functions that call restic for one backup. Secrets are in files that only root may read, never in arguments.
# use_backup NAME: chooses it. call_restic ARGUMENT…: calls restic for it. open_repository: makes it if there is none.
# fail_backup TEXT: ends the script. last_words: the end of what a command wrote into $said.
# constants: BACKUPS_FOLDER BACKUP_CACHE BACKUP_FAILED BACKUP_NOTES VOLUMES_FOLDER

. shell/lib/use-proxy.sh

fail_backup() {
    echo "backup $backup: $1" >&2
    exit "$BACKUP_FAILED"
}
last_words() { printf '%s\n' "$said" | grep -v '^$' | tail -n 3 | tr '\n' ' '; }
use_backup() {
    backup=$1
    settings=$BACKUPS_FOLDER/$1
    # systemd gives a service no HOME
    export RESTIC_REPOSITORY_FILE="$settings/repository" RESTIC_PASSWORD_FILE="$settings/password" RESTIC_CACHE_DIR="$BACKUP_CACHE/$1"
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_DEFAULT_REGION
    if [ -s "$settings/access-key" ]; then
        AWS_ACCESS_KEY_ID=$(cat "$settings/access-key")
        AWS_SECRET_ACCESS_KEY=$(cat "$settings/secret-key")
        export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    fi
    if [ -s "$settings/region" ]; then
        AWS_DEFAULT_REGION=$(cat "$settings/region")
        export AWS_DEFAULT_REGION
    fi
}
call_restic() {
    if [ -s "$settings/sftp-command" ]; then
        restic -o "sftp.command=$(cat "$settings/sftp-command")" "$@"
    elif [ -s "$settings/ca.crt" ]; then
        restic --cacert "$settings/ca.crt" "$@"
    else
        restic "$@"
    fi
}
# the disk of a backup that is not mounted would be the system's; a volume's disk would go with what it saves
check_folder() {
    if [ ! -s "$settings/folder" ]; then return 0; fi
    place=$(cat "$settings/folder")
    if [ ! -d "$place" ]; then fail_backup "there is no folder $place: mount its disk and make it"; fi
    disk=$(stat -c %d "$place")
    if [ "$disk" = "$(stat -c %d /)" ]; then fail_backup "$place is on the system's disk: mount a disk of its own there"; fi
    for volume in "$VOLUMES_FOLDER"/*; do
        if mountpoint -q "$volume" && [ "$disk" = "$(stat -c %d "$volume")" ]; then
            fail_backup "$place is on the volume ${volume##*/}, which the backup is to save"
        fi
    done
}
open_repository() {
    check_folder
    # without a lock: that of a run that was killed would be in the way
    if said=$(call_restic cat config --no-lock 2>&1 > /dev/null); then
        cp "$settings/repository" "$BACKUP_NOTES/$backup.repository"
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
    # init itself refuses a folder with a repository
    if ! said=$(call_restic init 2>&1); then fail_backup "its repository cannot be made: $(last_words)"; fi
    cp "$settings/repository" "$BACKUP_NOTES/$backup.repository"
}

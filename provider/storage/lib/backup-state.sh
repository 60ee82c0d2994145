#!/bin/sh
# backup-state.sh: what became of the last run of a backup.
# has_failed NAME: also of one that was killed, by the kernel or by the end of the server, and could note nothing.
# constants: BACKUP_NOTES

has_failed() {
    state=$(systemctl is-active "pulumi-nfv-backup@$1.service" || true)
    if [ "$state" = activating ]; then [ -e "$BACKUP_NOTES/$1.failed" ]; return; fi
    [ "$state" = failed ] || [ -e "$BACKUP_NOTES/$1.failed" ] || [ -e "$BACKUP_NOTES/$1.words" ]
}

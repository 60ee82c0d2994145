#!/bin/sh
# backup-state.sh: what became of the last run of a backup.
# has_failed NAME: also of one that was killed, by the kernel or by the end of the server, and could note nothing.
# is_asked NAME RUN: whether the program asks for one that was not made yet. RUN: "-": it does not.
# constants: BACKUP_NOTES

has_failed() {
    state=$(systemctl is-active "pulumi-nfv-backup@$1.service" || true)
    if [ "$state" = activating ]; then [ -e "$BACKUP_NOTES/$1.failed" ]; return; fi
    [ "$state" = failed ] || [ -e "$BACKUP_NOTES/$1.failed" ] || [ -e "$BACKUP_NOTES/$1.words" ]
}
is_asked() { [ "$2" != - ] && [ "$(cat "$BACKUP_NOTES/$1.run" 2> /dev/null || true)" != "$2" ]; }

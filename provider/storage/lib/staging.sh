#!/bin/sh
# staging.sh: the folders in which restores are built, each on the volume that is to have it.
# drop_staging PLACE NAME: deletes that of one restore. With it goes the note that the restore was done, unless it has its own name already.

drop_staging() {
    done_note=$1/.pulumi-nfv/restores/$2
    if [ -e "$done_note" ] && [ -d "$1/.pulumi-nfv/restore-$2$(cut -d ' ' -f 3 "$done_note")" ]; then
        rm -f "$done_note"
        sync -- "$1/.pulumi-nfv/restores"
    fi
    rm -rf "$1/.pulumi-nfv/restore-$2"
}

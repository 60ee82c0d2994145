#!/bin/sh
# note-objects.sh: notes which objects there are before a restore, if the API answers.
# inputs: SNAPSHOT WORD
# constants: BACKUP_NOTES

. shell/lib/as-administrator.sh

. procedures/etcd-restore/lib/listed-objects.sh

umask 077
mkdir -p "$BACKUP_NOTES"
rm -f "$objects_before"
if ! objects=$(list_objects); then echo "the API does not say which objects there are"; exit 0; fi
printf '%s\n' "$WORD $SNAPSHOT" "$objects" > "$objects_before.new"
mv "$objects_before.new" "$objects_before"

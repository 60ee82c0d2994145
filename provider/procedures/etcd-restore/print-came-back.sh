#!/bin/sh
# print-came-back.sh: prints what a restore has brought back: objects that there are, and that there were not right before it. "unknown" where that was not noted.
# inputs: SNAPSHOT WORD
# constants: BACKUP_NOTES

. shell/lib/as-administrator.sh

. procedures/etcd-restore/lib/listed-objects.sh

if [ "$(head -n 1 "$objects_before" 2> /dev/null || true)" != "$WORD $SNAPSHOT" ]; then echo unknown; exit 0; fi
objects=$(list_objects) || { echo unknown; exit 0; }
printf '%s\n' "$objects" | grep -vxF -f "$objects_before" || true

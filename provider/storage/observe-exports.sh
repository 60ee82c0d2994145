#!/bin/sh
# observe-exports.sh: looks whether the NFS server runs and exports what the program says.
# inputs: EXPORTS
# constants: EXPORTS_FILE WANTED_EXPORTS CLIENTS_FOLDER NOT_SERVED

. shell/lib/observed.sh

. storage/lib/exports.sh

runs nfs-server.service
[ "$(cat "$WANTED_EXPORTS" 2>/dev/null)" = "$EXPORTS" ] || differs "$WANTED_EXPORTS has changed"
[ "$(sed 1d "$EXPORTS_FILE" 2>/dev/null)" = "$(export_lines)" ] || differs "$EXPORTS_FILE has changed"
printf '%s\n' "$EXPORTS" | while read -r path _; do
    [ -z "$path" ] || mountpoint -q "$path" || differs "nothing is mounted at $path, so it is not exported"
done

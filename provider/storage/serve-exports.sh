#!/bin/sh
# serve-exports.sh: exports folders to their clients and proves that they are served. Each folder is bound to its path, which is exported only while the
# folder is there: without its volume nothing is served.
# inputs: EXPORTS (one a line, as lib/exports.sh reads them)
# constants: EXPORTS_FILE WANTED_EXPORTS CLIENTS_FOLDER NOT_SERVED

. shell/lib/usual-path.sh

. storage/lib/exports.sh

mkdir -p "${WANTED_EXPORTS%/*}" "$CLIENTS_FOLDER"
if [ -n "$EXPORTS" ]; then printf '%s\n' "$EXPORTS" > "$WANTED_EXPORTS.new"; else : > "$WANTED_EXPORTS.new"; fi
sync -- "$WANTED_EXPORTS.new"
mv "$WANTED_EXPORTS.new" "$WANTED_EXPORTS"
systemctl -q enable nfs-server.service
systemctl start nfs-server.service
apply_exports
prove_exports

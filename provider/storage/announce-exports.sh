#!/bin/sh
# announce-exports.sh: writes the exports and the clients of a former machine before the NFS server is installed. Without them its first start would tell
# clients that wait for the former machine that their files are gone; for exports whose folder is not mounted yet they go on waiting.
# inputs: EXPORTS (one a line, as lib/exports.sh reads them) FORMER_CLIENTS (one a line: NAME ADDRESS…)
# constants: EXPORTS_FILE WANTED_EXPORTS CLIENTS_FOLDER

. shell/lib/usual-path.sh

. storage/lib/exports.sh

mkdir -p "$CLIENTS_FOLDER"
printf '%s\n' "$FORMER_CLIENTS" | while read -r name addresses; do
    if [ -z "$name" ] || [ -e "$CLIENTS_FOLDER/$name" ]; then continue; fi
    write_client "$name" "$(printf '%s\n' "$addresses" | tr ' ' '\n')"
done
# a server that serves already knows better
if [ -e "$WANTED_EXPORTS" ] || [ -z "$EXPORTS" ]; then exit 0; fi
printf '%s\n' "$EXPORTS" > "$WANTED_EXPORTS.new"
mv "$WANTED_EXPORTS.new" "$WANTED_EXPORTS"
write_exports

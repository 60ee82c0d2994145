#!/bin/sh
# register-client.sh: registers a client of all exports that ask for registered clients, or takes it away. What was announced of it before is over.
# inputs: NAME ENTRY (its file) ADDRESSES (one a line; none: the client goes)
# constants: EXPORTS_FILE WANTED_EXPORTS CLIENTS_FOLDER NOT_SERVED

. shell/lib/usual-path.sh

. storage/lib/exports.sh

file=$CLIENTS_FOLDER/$ENTRY
mkdir -p "$CLIENTS_FOLDER"
if [ -n "$ADDRESSES" ]; then
    printf '%s\n' "$ADDRESSES" > "$CLIENTS_FOLDER/.new"
    sync -- "$CLIENTS_FOLDER/.new"
    mv "$CLIENTS_FOLDER/.new" "$file"
else
    rm -f "$file"
fi
rm -f "$CLIENTS_FOLDER/$NAME"
sync -- "$CLIENTS_FOLDER"
apply_exports

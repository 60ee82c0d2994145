#!/bin/sh
# register-client.sh: registers a client of all exports that ask for registered clients, or takes it away.
# inputs: NAME ADDRESSES (one a line; none: the client goes)
# constants: EXPORTS_FILE WANTED_EXPORTS CLIENTS_FOLDER NOT_SERVED

. shell/lib/usual-path.sh

. storage/lib/exports.sh

file=$CLIENTS_FOLDER/$NAME
mkdir -p "$CLIENTS_FOLDER"
if [ -n "$ADDRESSES" ]; then
    printf '%s\n' "$ADDRESSES" > "$CLIENTS_FOLDER/.new"
    sync -- "$CLIENTS_FOLDER/.new"
    mv "$CLIENTS_FOLDER/.new" "$file"
else
    rm -f "$file"
fi
sync -- "$CLIENTS_FOLDER"
apply_exports

#!/bin/sh
# register-client.sh: registers a client of all exports that ask for registered clients, or takes it away. What was announced of it before is over.
# inputs: NAME ENTRY (its file) OWN (its addresses, also when it goes) ADDRESSES (one a line; none: the client goes)
# constants: EXPORTS_FILE WANTED_EXPORTS CLIENTS_FOLDER NOT_SERVED

. shell/lib/usual-path.sh

. storage/lib/exports.sh

mkdir -p "$CLIENTS_FOLDER"
if [ -n "$ADDRESSES" ]; then write_client "$ENTRY" "$ADDRESSES"; else rm -f "$CLIENTS_FOLDER/$ENTRY"; fi
# at other addresses it is a former machine, whose access goes with its own StorageClient
if [ "$(cat "$CLIENTS_FOLDER/$NAME" 2>/dev/null || true)" = "$OWN" ]; then rm -f "$CLIENTS_FOLDER/$NAME"; fi
sync -- "$CLIENTS_FOLDER"
apply_exports

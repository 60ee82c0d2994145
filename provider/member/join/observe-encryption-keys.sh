#!/bin/sh
# observe-encryption-keys.sh: looks whether the API server's encryption settings are there.
# constants: ENCRYPTION_FILE

. shell/lib/observed.sh

[ -s "$ENCRYPTION_FILE" ] || differs "$ENCRYPTION_FILE is missing"

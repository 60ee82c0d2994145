#!/bin/sh
# keep-encryption-keys.sh: a control-plane node keeps its encryption settings, because only a rotation changes which keys they have. One that joins gets those
# of another control-plane node, which has all keys in use, also in the middle of a rotation. The first node of a cluster gets the program's key.
# secrets: encryption (settings with the program's key) control-plane (settings of another node, in base64; only at a join)
# constants: API_SERVER_FOLDER API_SERVER_MANIFEST ENCRYPTION_FILE INIT_STARTED_FILE MEMBER_FILE

given=
if [ -s "$SECRETS/control-plane" ]; then
    given=$(tail -n 1 "$SECRETS/control-plane" | base64 -d)
elif [ -s "$MEMBER_FILE" ]; then
    # encryption may be turned on by now: then nothing uses a file here, and nothing is encrypted
    if [ -s "$API_SERVER_MANIFEST" ] && ! grep -qF -e '--encryption-provider-config=' "$API_SERVER_MANIFEST"; then
        given=$(cat "$SECRETS/encryption")
    elif [ ! -s "$ENCRYPTION_FILE" ]; then
        echo "$ENCRYPTION_FILE is missing: copy it from another control-plane node, and restart the API server" >&2
        exit 1
    fi
# without an init that has begun, a file is of a former life of this machine
elif [ ! -s "$ENCRYPTION_FILE" ] || [ ! -s "$INIT_STARTED_FILE" ]; then
    given=$(cat "$SECRETS/encryption")
fi
if [ -n "$given" ]; then
    printf '%s\n' "$given" | grep -q '^ *-\{0,1\} *secret: '
    install -d -m 700 "$API_SERVER_FOLDER"
    umask 077
    printf '%s\n' "$given" > "$ENCRYPTION_FILE".new
    umask 022
    sync -- "$ENCRYPTION_FILE".new
    mv "$ENCRYPTION_FILE".new "$ENCRYPTION_FILE"
fi

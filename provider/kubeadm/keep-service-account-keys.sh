#!/bin/sh
# keep-service-account-keys.sh: a control-plane node keeps its keys of service accounts' tokens, because only a rotation changes them. One that joins gets those
# of another control-plane node, also in the middle of a rotation. The first node of a cluster gets the program's key.
# secrets: key public (the program's) control-plane (those of another node, two lines in base64; only at a join)
# constants: INIT_STARTED_FILE MEMBER_FILE

. kubeadm/lib/service-account-keys.sh

# deleted with the secrets
beside=$SECRETS
given=$beside/given
if [ -s "$SECRETS/control-plane" ]; then
    tail -n 2 "$SECRETS/control-plane" | head -n 1 | base64 -d > "$given".key
    tail -n 1 "$SECRETS/control-plane" | base64 -d > "$given".pub
elif [ -s "$MEMBER_FILE" ]; then
    for file in "$SA_KEY" "$SA_PUB"; do
        if [ ! -s "$file" ]; then
            echo "$file is missing: copy it from another control-plane node, and restart API server and controller manager" >&2
            exit 1
        fi
    done
    exit 0
# without an init that has begun, files are of a former life of this machine
elif [ -s "$SA_KEY" ] && [ -s "$SA_PUB" ] && [ -s "$INIT_STARTED_FILE" ]; then
    exit 0
else
    cp "$SECRETS/key" "$given".key
    cp "$SECRETS/public" "$given".pub
fi
# what is no key is not taken
openssl pkey -in "$given".key -noout
openssl pkey -pubin -in "$given".pub -noout
install -d -m 755 "$PKI_FOLDER"
replace_file "$SA_PUB" 644 < "$given".pub
replace_file "$SA_KEY" 600 < "$given".key

#!/bin/sh
# observe-service-account-keys.sh: looks whether the keys of service accounts' tokens are there.
# constants: PKI_FOLDER

. shell/lib/observed.sh

for file in "$PKI_FOLDER"/sa.key "$PKI_FOLDER"/sa.pub; do
    [ -s "$file" ] || differs "$file is missing"
done

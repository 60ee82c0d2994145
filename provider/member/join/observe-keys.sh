#!/bin/sh
# observe-keys.sh: looks whether the keys that were rotated are there.
# inputs: KEPT (paths below the folder of keys)
# constants: PKI_FOLDER

. shell/lib/observed.sh

for path in $KEPT; do
    [ -s "$PKI_FOLDER/$path" ] || differs "$PKI_FOLDER/$path is missing"
done

#!/bin/sh
# upload-finish.sh: renames a complete file to its name. A part with a wrong checksum is deleted. Parameters: PATH PART SIZE
# SHA256.
# constants: INCOMPLETE CHECKSUM_DIFFERS

set -eu
[ "$(wc -c <"$2")" -eq "$3" ] || exit "$INCOMPLETE"
sum=$(sha256sum <"$2")
if [ "${sum%% *}" != "$4" ]; then
    rm -f -- "$2"
    exit "$CHECKSUM_DIFFERS"
fi
sync -- "$2"
mv -fT -- "$2" "$1"
sync -- "$(dirname -- "$1")"

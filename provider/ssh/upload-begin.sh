#!/bin/sh
# upload-begin.sh: prints "complete", or how many bytes an earlier attempt left in PART. Parameters: PATH PART MODE OWNER SIZE
# SHA256.

set -eu
if [ -f "$1" ] && [ "$(wc -c <"$1")" -eq "$5" ] && echo "$6  $1" | sha256sum -c --status 2>/dev/null; then
    chown -- "$4" "$1"
    chmod -- "$3" "$1"
    rm -f -- "$2"
    echo complete
    exit 0
fi
(umask 022; mkdir -p -- "$(dirname -- "$1")")
umask 077
[ -f "$2" ] || : >"$2"
chown -- "$4" "$2"
chmod -- "$3" "$2"
wc -c <"$2"

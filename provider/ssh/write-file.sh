#!/bin/sh
# write-file.sh: writes a file atomically; its content is on standard input. Parameters: PATH MODE OWNER SIZE.
# The size is checked because a broken connection looks like an early end of input.
# constants: INCOMPLETE

set -eu
dir=$(dirname -- "$1")
(umask 022; mkdir -p -- "$dir")
umask 077
tmp=$(mktemp "$dir/.nfv-XXXXXXXX")
trap 'rm -f -- "$tmp"' EXIT
trap 'exit 129' HUP INT TERM
chown -- "$3" "$tmp"
chmod -- "$2" "$tmp"
cat >"$tmp"
[ "$(wc -c <"$tmp")" -eq "$4" ] || exit "$INCOMPLETE"
sync -- "$tmp"
mv -fT -- "$tmp" "$1"
sync -- "$dir"

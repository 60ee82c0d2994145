#!/bin/sh
# read-file.sh: prints a file. Parameter: PATH.
# constants: NO_SUCH_FILE

[ -e "$1" ] || exit "$NO_SUCH_FILE"
exec cat -- "$1"

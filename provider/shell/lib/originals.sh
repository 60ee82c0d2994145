#!/bin/sh
# originals.sh: functions for the files that existed before us.
# constants: ORIGINALS_FOLDER
# there PATH: tests whether a path exists, also a dangling link.
# restore FILE: restores the original, or deletes our file.

there() { [ -e "$1" ] || [ -L "$1" ]; }
restore() {
    if there "$ORIGINALS_FOLDER$1"; then
        # the folder of a package that was purged is gone, and so is the file's use
        [ -d "${1%/*}" ] || return 0
        rm -rf "$1.nfv-new"
        cp -a "$ORIGINALS_FOLDER$1" "$1.nfv-new"
        mv -fT "$1.nfv-new" "$1"
    elif [ -e "$ORIGINALS_FOLDER$1.absent" ]; then
        rm -f "$1"
    fi
}

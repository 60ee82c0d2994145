#!/bin/sh
# empty-folder.sh: empty_folder FOLDER deletes its content, except what is mounted there.
# `find -xdev` is not enough: it enters a mount from the same file system, as local volumes are. Special characters in the
# names of mounts match any character.

empty_folder() {
    [ -d "$1" ] || return 0
    mounts=$(awk -v under="$1/" 'index($2, under) == 1 { gsub(/\\[0-7][0-7][0-7]/, "?", $2); gsub(/[][*]/, "?", $2); print "! -path " $2 " ! -path " $2 "/*" }' /proc/mounts)
    set -f
    # shellcheck disable=SC2086 # a list of tests
    find "$1" -xdev -depth -mindepth 1 $mounts -delete 2>/dev/null || true
    set +f
}

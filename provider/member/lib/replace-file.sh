#!/bin/sh
# replace-file.sh: replace_file PATH MODE: standard input takes the place of a file that this machine's notes know.
# constants: NODE_NOTES

sum_of() { sha256sum < "$1" | cut -d ' ' -f 1; }
# a machine that loses power has the former or the new one. The machine's notes get its sum before: else a refresh would find that somebody has changed it
replace_file() {
    umask 077
    cat > "$1".new
    umask 022
    chmod "$2" "$1".new
    sync -- "$1".new
    [ ! -f "$NODE_NOTES" ] || [ ! -f "$1" ] || sed -i "s/$(sum_of "$1")/$(sum_of "$1".new)/g" "$NODE_NOTES"
    mv "$1".new "$1"
    sync -- "$(dirname -- "$1")"
}

#!/bin/sh
# request-note.sh: request_note NAME WORD STAGE notes how far a request is on this machine, with the current boot. boot_id prints that.
# constants: REQUEST_NOTES

boot_id() { cat /proc/sys/kernel/random/boot_id; }
request_note() {
    mkdir -p "$REQUEST_NOTES"
    printf '%s %s %s\n' "$2" "$3" "$(boot_id)" > "$REQUEST_NOTES/.$1"
    sync -- "$REQUEST_NOTES/.$1"
    mv "$REQUEST_NOTES/.$1" "$REQUEST_NOTES/$1"
    sync -- "$REQUEST_NOTES"
}

#!/bin/sh
# os-note.sh: os_note WORD STAGE notes how far the upgrade of the operating system is on this machine, with the current boot. boot_id prints that.
# constants: OS_NOTE

boot_id() { cat /proc/sys/kernel/random/boot_id; }
os_note() {
    printf '%s %s %s\n' "$1" "$2" "$(boot_id)" > "$OS_NOTE.new"
    sync -- "$OS_NOTE.new"
    mv "$OS_NOTE.new" "$OS_NOTE"
    sync -- "${OS_NOTE%/*}"
}

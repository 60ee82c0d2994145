#!/bin/sh
# without-former.sh: without_former FILE deletes the lines of former endpoints from a file.
# Do not call it with `||` or in an `if`: that switches `set -e` off, and with a full disk it would leave an empty file.
# constants: FORMER_BEGIN FORMER_END

without_former() {
    grep -qx "$FORMER_BEGIN" "$1" 2>/dev/null || return 0
    rest=$(sed "/^$FORMER_BEGIN\$/,/^$FORMER_END\$/d" "$1")
    cp -p "$1" "$1.nfv-new"
    printf '%s\n' "$rest" > "$1.nfv-new"
    sync -- "$1.nfv-new"
    case $1 in
        # may be a mount, which cannot be renamed over
        */etc/hosts) cat "$1.nfv-new" > "$1"; rm -f "$1.nfv-new" ;;
        *) mv -fT "$1.nfv-new" "$1" ;;
    esac
}

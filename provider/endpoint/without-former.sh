#!/bin/sh
# without-former.sh: without_former FILE deletes the lines of former endpoints from a file.
# Do not call it with `||` or in an `if`: that switches `set -e` off, and with a full disk it would leave an empty file.
# constants: FORMER_BEGIN FORMER_END

. shell/lib/change-file.sh

without_former() {
    grep -qx "$FORMER_BEGIN" "$1" 2>/dev/null || return 0
    change_file "$1" without_block "$FORMER_BEGIN" "$FORMER_END"
}

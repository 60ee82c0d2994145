#!/bin/sh
# refuse-other-runtime.sh: fails if programs of others have the places of the bundle's containerd and runc.
# inputs: PROGRAMS (names, separated by spaces)
# constants: FOREIGN_SOFTWARE PROGRAM_FOLDER

. shell/lib/usual-path.sh

# systemd looks into sbin first
for name in $PROGRAMS; do
    for file in "/usr/local/sbin/$name" "/usr/local/bin/$name"; do
        # a site's program may stand before runc and call it: switch-runtime.sh asks it for its version
        [ "$file" = /usr/local/sbin/runc ] && [ -f "$file" ] && [ -x "$file" ] && continue
        case $(readlink "$file" || true) in "$PROGRAM_FOLDER"/*) continue ;; esac
        if [ -e "$file" ] || [ -L "$file" ]; then
            echo "$file is there and is not of this package: take it away" >&2
            exit "$FOREIGN_SOFTWARE"
        fi
    done
done

#!/bin/sh
# work-folder.sh: from here on $work is a folder in memory, which goes when the script ends.
# shellcheck disable=SC2034 # for who includes it

work=$(mktemp -d -p /run)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' HUP INT TERM

#!/bin/sh
# upload-append.sh: appends the rest of a file, on standard input, to PART from OFFSET on. Parameters: PART OFFSET.

set -eu
truncate -s "$2" -- "$1"
cat >>"$1"

#!/bin/sh
# note-plugins.sh: notes which network plugins came from the bundle, so that the reset removes these and none that others add.
# inputs: SUMS (lines: checksum, path)
# constants: STAGED_PLUGINS_FILE

mkdir -p "${STAGED_PLUGINS_FILE%/*}"
printf '%s\n' "$SUMS" | sed 's|.*/||' >> "$STAGED_PLUGINS_FILE"
sort -u -o "$STAGED_PLUGINS_FILE" "$STAGED_PLUGINS_FILE"

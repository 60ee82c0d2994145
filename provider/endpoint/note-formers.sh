#!/bin/sh
# note-formers.sh: lists the former endpoints of this node, atomically.
# inputs: FORMERS (one JSON object a line)
# constants: STATE_FOLDER FORMERS_FILE

umask 077
mkdir -p "$STATE_FOLDER"
printf '%s\n' "$FORMERS" > "$FORMERS_FILE.new"
sync -- "$FORMERS_FILE.new"
mv "$FORMERS_FILE.new" "$FORMERS_FILE"
